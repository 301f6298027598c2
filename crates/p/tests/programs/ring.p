// A token goes around a ring; whoever has it may enter.
enum tPhase { IDLE, WAITING, INSIDE }
event eToken: int;
event eNext: (node: Node, last: bool);
event eEnter: Node;
event eLeave: Node;

machine Node {
  var next: Node;
  var phase: tPhase;
  start state Init {
    defer eToken;
    on eNext do (p: (node: Node, last: bool)) {
      next = p.node;
      if (p.last) { send next, eToken, 0; }
      goto Wait;
    }
  }
  state Wait {
    entry { phase = WAITING; }
    on eToken do (round: int) {
      if (round >= 3) { raise halt; }
      else if ($) {
        phase = INSIDE;
        announce eEnter, this;
        announce eLeave, this;
        phase = IDLE;
      }
      send next, eToken, round + 1;
    }
    exit { phase = IDLE; }
    ignore eNext;
  }
}

machine Main {
  start state S {
    entry {
      var first: Node;
      var last: Node;
      var i: int;
      first = new Node();
      last = first;
      i = 1;
      while (i < 3) {
        last = connect(last);
        i = i + 1;
      }
      send last, eNext, (node = first, last = true);
    }
  }
  fun connect(from: Node): Node {
    var node: Node;
    node = new Node();
    send from, eNext, (node = node, last = false);
    return node;
  }
}

spec OneInside observes eEnter, eLeave {
  var inside: set[Node];
  start cold state Free {
    on eEnter goto Taken with (n: Node) { inside += (n); }
  }
  hot state Taken {
    entry { assert sizeof(inside) == 1, format("{0} are inside", sizeof(inside)); }
    on eLeave goto Free with (n: Node) { assert n in inside; inside -= n; }
  }
}

test tcRing [main = Main]: assert OneInside in { Main, Node };
