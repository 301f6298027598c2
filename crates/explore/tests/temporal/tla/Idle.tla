---- MODULE Idle ----
\* A step that changes nothing is no step: it does not keep Up from being taken.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Up == x = 0 /\ x' = 1
Idle == x' = x
Next == Up \/ Idle
Unfair == Init /\ [][Next]_x /\ WF_x(Next)
WeakIdle == Unfair /\ WF_x(Idle)
Reaches == <>(x = 1)
Stays == []<>(x = 1)
Leaves == []<>(x = 0)
====
