---- MODULE Forks ----
\* Two philosophers, two forks. Each takes the left fork first, so both may wait; with Back they may put it down again.
EXTENDS Naturals
VARIABLE pc
Init == pc = [p \in 0..1 |-> 0]
Left(p) == pc[p] = 0 /\ pc[1 - p] # 2 /\ pc' = [pc EXCEPT ![p] = 1]
Right(p) == pc[p] = 1 /\ pc[1 - p] = 0 /\ pc' = [pc EXCEPT ![p] = 2]
Done(p) == pc[p] = 2 /\ pc' = [pc EXCEPT ![p] = 0]
Back(p) == pc[p] = 1 /\ pc[1 - p] = 1 /\ pc' = [pc EXCEPT ![p] = 0]
Eat(p) == Left(p) \/ Right(p) \/ Done(p)
NextStuck == Eat(0) \/ Eat(1)
NextBack == NextStuck \/ Back(0) \/ Back(1)
Stuck == Init /\ [][NextStuck]_pc /\ WF_pc(NextStuck) /\ WF_pc(Eat(0)) /\ WF_pc(Eat(1))
WeakBack == Init /\ [][NextBack]_pc /\ WF_pc(NextBack) /\ WF_pc(Eat(0) \/ Back(0)) /\ WF_pc(Eat(1) \/ Back(1))
StrongRight == WeakBack /\ SF_pc(Right(0)) /\ SF_pc(Right(1))
Eats == []<>(pc[0] = 2)
SomeoneEats == []<>(pc[0] = 2 \/ pc[1] = 2)
Puts == pc[0] = 1 ~> pc[0] # 1
====
