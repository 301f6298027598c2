---- MODULE Buffer ----
\* A producer and a consumer of a buffer of two places, and work that has nothing to do with it.
EXTENDS Naturals
VARIABLES size, work
vars == <<size, work>>
Init == size = 0 /\ work = 0
Produce == size < 2 /\ size' = size + 1 /\ work' = work
Consume == size > 0 /\ size' = size - 1 /\ work' = work
Think == work' = 1 - work /\ size' = size
Next == Produce \/ Consume \/ Think
Unfair == Init /\ [][Next]_vars /\ WF_vars(Next)
WeakConsume == Unfair /\ WF_vars(Consume)
Both == WeakConsume /\ WF_vars(Produce)
StrongConsume == Unfair /\ SF_vars(size = 2 /\ Consume)
FullShrinks == size = 2 ~> size < 2
Grows == []<>(size > 0)
Shrinks == []<>(size < 2)
====
