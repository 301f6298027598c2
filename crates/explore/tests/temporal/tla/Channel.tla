---- MODULE Channel ----
\* A message is sent again until it arrives; the channel may lose it each time.
EXTENDS Naturals
VARIABLES channel, got
vars == <<channel, got>>
Init == channel = 0 /\ got = 0
Send == channel = 0 /\ got = 0 /\ channel' = 1 /\ got' = got
Lose == channel = 1 /\ channel' = 0 /\ got' = got
Receive == channel = 1 /\ channel' = 0 /\ got' = 1
Next == Send \/ Lose \/ Receive
Unfair == Init /\ [][Next]_vars /\ WF_vars(Next)
Weak == Unfair /\ WF_vars(Send) /\ WF_vars(Receive)
Strong == Unfair /\ WF_vars(Send) /\ SF_vars(Receive)
Arrives == <>(got = 1)
SentArrives == channel = 1 ~> got = 1
====
