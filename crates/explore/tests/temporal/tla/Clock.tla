---- MODULE Clock ----
EXTENDS Naturals
VARIABLE hour
Init == hour = 0
Tick == hour' = (hour + 1) % 5
Next == Tick
Unfair == Init /\ [][Next]_hour /\ WF_hour(Next)
Midnight == []<>(hour = 0)
Later == hour = 3 ~> hour = 1
Never == <>(hour = 5)
====
