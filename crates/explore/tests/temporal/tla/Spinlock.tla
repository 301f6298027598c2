---- MODULE Spinlock ----
\* Two processes and a lock that anyone may take who finds it free.
EXTENDS Naturals
VARIABLES pc, lock
vars == <<pc, lock>>
Init == pc = [p \in 0..1 |-> 0] /\ lock = 0
Want(p) == pc[p] = 0 /\ pc' = [pc EXCEPT ![p] = 1] /\ lock' = lock
Enter(p) == pc[p] = 1 /\ lock = 0 /\ pc' = [pc EXCEPT ![p] = 2] /\ lock' = 1
Leave(p) == pc[p] = 2 /\ pc' = [pc EXCEPT ![p] = 0] /\ lock' = 0
Process(p) == Want(p) \/ Enter(p) \/ Leave(p)
Next == Process(0) \/ Process(1)
Unfair == Init /\ [][Next]_vars /\ WF_vars(Next)
WeakProcess == Unfair /\ WF_vars(Process(0)) /\ WF_vars(Process(1))
StrongEnter == WeakProcess /\ SF_vars(Enter(0))
StrongProcess == Unfair /\ SF_vars(Process(0)) /\ SF_vars(Process(1))
Enters == pc[0] = 1 ~> pc[0] = 2
Someone == []<>(lock = 1)
Free == []<>(lock = 0)
====
