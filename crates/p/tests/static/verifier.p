pure isOne(x: int): bool; //~ error: `pure` belongs to the P verifier
init-condition true; //~ error: `init-condition` belongs
axiom forall (x: int) :: x == x; //~ error: `axiom` belongs
invariant one: true; //~ error: `invariant` belongs
Lemma l { } //~ error: `Lemma` belongs
Proof p { } //~ error: `Proof` belongs
machine M {
  start state S {
    entry {
      assume true; //~ error: `assume` belongs
      x = inflight e; //~ error: `inflight` belongs
      x = sent e; //~ error: `sent` belongs
      x = e is E; //~ error: `is` belongs
      x = a ==> b; //~ error: this operator belongs
      x = a <==> b; //~ error: this operator belongs
      x = forall (y: int) :: y == y; //~ error: `forall` belongs
    }
  }
  fun f()
    requires true; //~ error: `requires` belongs
}
