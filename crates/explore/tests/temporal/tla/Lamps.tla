---- MODULE Lamps ----
EXTENDS Naturals
VARIABLES a, b
vars == <<a, b>>
Init == a = 0 /\ b = 0
TurnA == a' = 1 - a /\ b' = b
TurnB == b' = 1 - b /\ a' = a
Next == TurnA \/ TurnB
Unfair == Init /\ [][Next]_vars /\ WF_vars(Next)
WeakA == Unfair /\ WF_vars(TurnA)
WeakBoth == WeakA /\ WF_vars(TurnB)
OnA == []<>(a = 1)
OnBoth == []<>(a = 1 /\ b = 1)
ThenB == a = 1 ~> b = 1
====
