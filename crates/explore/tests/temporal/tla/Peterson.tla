---- MODULE Peterson ----
EXTENDS Naturals
VARIABLES pc, turn
vars == <<pc, turn>>
Init == pc = [p \in 0..1 |-> 0] /\ turn = 0
Raise(p) == pc[p] = 0 /\ pc' = [pc EXCEPT ![p] = 1] /\ turn' = turn
Yield(p) == pc[p] = 1 /\ pc' = [pc EXCEPT ![p] = 2] /\ turn' = 1 - p
Enter(p) == pc[p] = 2 /\ (pc[1 - p] = 0 \/ turn = p) /\ pc' = [pc EXCEPT ![p] = 3] /\ turn' = turn
Leave(p) == pc[p] = 3 /\ pc' = [pc EXCEPT ![p] = 0] /\ turn' = turn
Process(p) == Raise(p) \/ Yield(p) \/ Enter(p) \/ Leave(p)
Next == Process(0) \/ Process(1)
Unfair == Init /\ [][Next]_vars /\ WF_vars(Next)
WeakOne == Unfair /\ WF_vars(Process(0))
WeakProcess == Unfair /\ WF_vars(Process(0)) /\ WF_vars(Process(1))
Enters == pc[0] = 1 ~> pc[0] = 3
Always == []<>(pc[0] = 3)
====
