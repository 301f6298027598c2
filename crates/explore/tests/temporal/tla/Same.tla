---- MODULE Same ----
\* Two actions with the same steps, and one that shares some steps with them.
EXTENDS Naturals
VARIABLE x
Init == x \in {0, 3}
A == x < 2 /\ x' = 1 - x
B == x < 2 /\ x' = 1 - x
C == x = 1 /\ x' \in {0, 1, 2}
D == x = 3 /\ x' \in {0, 3}
Next == A \/ B \/ C \/ D
Unfair == Init /\ [][Next]_x /\ WF_x(Next)
BothWeak == Unfair /\ WF_x(A) /\ WF_x(B)
StrongC == Unfair /\ SF_x(C)
StrongOut == Unfair /\ SF_x(C /\ x' = 2)
Out == <>(x = 2)
Off == []<>(x # 1)
Zero == x = 3 ~> x = 0
====
