---- MODULE Server ----
\* A client asks; the server grants or denies, or is busy with other work. A client that was denied asks again.
EXTENDS Naturals
VARIABLES client, busy
vars == <<client, busy>>
Init == client = 0 /\ busy = 0
Ask == client = 0 /\ client' = 1 /\ busy' = busy
Grant == client = 1 /\ busy = 0 /\ client' = 2 /\ busy' = busy
Deny == client = 1 /\ busy = 0 /\ client' = 0 /\ busy' = busy
Work == busy' = 1 - busy /\ client' = client
Next == Ask \/ Grant \/ Deny \/ Work
Unfair == Init /\ [][Next]_vars /\ WF_vars(Next)
WeakAnswer == Unfair /\ WF_vars(Ask) /\ WF_vars(Grant \/ Deny)
StrongAnswer == Unfair /\ WF_vars(Ask) /\ SF_vars(Grant \/ Deny)
StrongGrant == Unfair /\ WF_vars(Ask) /\ SF_vars(Grant)
WeakGrant == Unfair /\ WF_vars(Ask) /\ WF_vars(Grant)
Answered == client = 1 ~> client # 1
Granted == client = 1 ~> client = 2
Happens == <>(client = 2)
====
