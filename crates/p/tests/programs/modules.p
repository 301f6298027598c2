event eReq: Client;
event eResp;
event eOther;
interface IServer (machine) receives eReq, halt;
machine Server receives eReq, halt; sends eResp; {
  start state S {
    entry (of: machine) { }
    on eReq do (c: Client) { send c, eResp; }
  }
}
machine Loose receives eReq, eOther, halt; sends eResp; {
  start state S {
    entry (of: any) { }
    on eReq do (c: Client) { if ($$) { send c, eResp; } else { send c, eResp; send c, eResp; } }
  }
}
machine Client receives eResp, halt; sends eReq; {
  start state S {
    entry {
      var s: IServer;
      s = new IServer(this);
      send s, eReq, this;
    }
    on eResp goto Done;
  }
  state Done { ignore eResp; entry { raise halt; } }
}
machine Main { start state S { entry { new Client(); } } }
spec Answers observes eReq, eResp {
  start state Free { on eReq goto Busy; }
  hot state Busy { on eResp goto Free; }
}
scenario TwoAnswers observes eResp {
  start state None { on eResp goto One; }
  state One { on eResp goto Two; }
  cold state Two { ignore eResp; }
}
module Clients = { Client };
module Strict = union Clients, { Server -> IServer };
module Free = union Clients, { Loose -> IServer }, { Main };
test tcStrict [main = Main]: union (assert Answers in Strict), { Main };
test tcLoose [main = Main]: assert Answers in Free;
test tcHidden [main = Main]: union (hidei IServer in Strict), { Main, Server };
implementation Impl [main = Main]: (union Strict, { Main });
