---- MODULE Ring ----
\* A token goes round three nodes; the node that has it may work.
EXTENDS Naturals
VARIABLES token, work
vars == <<token, work>>
Init == token = 0 /\ work = 0
Pass(i) == token = i /\ token' = (i + 1) % 3 /\ work' = 0
Work(i) == token = i /\ work' = 1 - work /\ token' = token
Next == \E i \in 0..2 : Pass(i) \/ Work(i)
Unfair == Init /\ [][Next]_vars /\ WF_vars(Next)
WeakPass == Unfair /\ WF_vars(Pass(0)) /\ WF_vars(Pass(1)) /\ WF_vars(Pass(2))
WeakTwo == Unfair /\ WF_vars(Pass(0)) /\ WF_vars(Pass(1))
WeakNode == Unfair /\ WF_vars(Pass(0) \/ Work(0)) /\ WF_vars(Pass(1) \/ Work(1)) /\ WF_vars(Pass(2) \/ Work(2))
StrongPass == Unfair /\ SF_vars(work = 1 /\ (Pass(0) \/ Pass(1) \/ Pass(2)))
Everywhere == []<>(token = 2)
Home == token = 1 ~> token = 0
====
