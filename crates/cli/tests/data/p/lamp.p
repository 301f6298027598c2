// A lamp whose switch may fail.
event ePress;
event eOn;
event eOff;
param presses: int;

machine Lamp {
  start state Off {
    on ePress goto On with { announce eOn; }
  }
  state On {
    on ePress goto Off with { announce eOff; }
  }
}

machine Person {
  start state S {
    entry {
      var lamp: Lamp;
      var n: int;
      lamp = new Lamp();
      while (n < presses) {
        send lamp, ePress;
        n = n + 1;
      }
    }
  }
}

spec OffAtTheEnd observes eOn, eOff {
  start cold state Off { on eOn goto On; }
  hot state On { on eOff goto Off; }
}

test param (presses in [2, 3]) tcPresses [main = Person]: assert OffAtTheEnd in { Person, Lamp };
test tcNone [main = Person]: assert OffAtTheEnd in { Person, Lamp };
