---- MODULE Countdown ----
\* The path ends: it stutters in its last state.
EXTENDS Naturals
VARIABLE n
Init == n = 3
Down == n > 0 /\ n' = n - 1
Again == n = 1 /\ n' = 2
Next == Down \/ Again
Unfair == Init /\ [][Next]_n /\ WF_n(Next)
WeakDown == Unfair /\ WF_n(Down)
StrongDown == Unfair /\ SF_n(n = 1 /\ Down)
Ends == <>(n = 0)
Stays == []<>(n = 0)
Busy == []<>(n > 0)
====
