event ePing: machine;
event ePong: int;
event eStop;

fun await(n: int): int {
  var got: int;
  while (n > 0) {
    receive {
      case ePong: (v: int) { got = got + v; n = n - 1; }
      case eStop: { n = 0; }
    }
  }
  return got;
}

machine Server {
  start state S {
    on ePing do (from: machine) {
      var i: int;
      i = 0;
      while (i < 2) { send from, ePong, i; i = i + 1; }
    }
  }
}

machine Main {
  var total: int;
  start state S {
    entry {
      var s: Server;
      var exists: bool;
      s = new Server();
      send s, ePing, this;
      exists = await(2) > 0;
      total = 1;
      if (exists) { goto Done, total; }
      raise eStop;
    }
    on eStop goto Stopped with { total = 2; }
    exit { receive { case eStop: { } case ePong: (v: int) { var w: int; w = v; total = total + w; } } }
  }
  state Stopped { ignore ePong, eStop; }
  state Done {
    entry (t: int) { assert t == total; }
    ignore ePong, eStop;
  }
}
