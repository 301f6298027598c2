#!/usr/bin/env bash
# Opens reports in a headless browser and uses them as a person would. Needs node with npm, and Chromium; as root it installs Debian's.
# Screenshots go to target/browser.
set -euo pipefail
cd "$(dirname "$0")/../.."
out="$PWD/target/browser"
mkdir -p "$out"

if ! command -v chromium >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "error: there is no chromium here: install it, then run this again" >&2
    exit 1
  fi
  echo "installing chromium"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >"$out/apt.log" 2>&1 || { tail "$out/apt.log" >&2; exit 1; }
fi
if [ ! -d "$out/node_modules/playwright-core" ]; then
  # npm brings its own list of authorities; here it trusts whom the system trusts.
  authorities=/etc/ssl/certs/ca-certificates.crt
  if [ -f "$authorities" ]; then export NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS:-$authorities}"; fi
  npm install --prefix "$out" --no-save --no-audit --no-fund --loglevel error playwright-core@1.64.1
fi

# BUILT is the directory of programs that are built already.
built=${BUILT:-}
if [ -z "$built" ]; then
  cargo build --quiet --workspace --bins --examples
  built="${CARGO_TARGET_DIR:-target}/debug"
fi

# Runs that end in a violation end with status 1: that is what they are here for.
check() { "$built/manyworlds" check "$@" --quiet || [ $? = "${expected:-1}" ]; }
check raft-bug --html "$out/raft-bug.html"
check german-bug --html "$out/german-bug.html"
check abd-bug --html "$out/abd-bug.html"
check two-phase-commit-bug --html "$out/two-phase-commit-bug.html"
check 2pc-tla-bug --html "$out/2pc-tla-bug.html"
expected=0 check paxos --html "$out/verified.html"
expected=0 check two-phase-commit --html "$out/verified-program.html"
expected=0 check 2pc-tla --html "$out/verified-specification.html"
expected=3 check raft --max-depth 6 --html "$out/bounded.html"
check chain --network asyn --threads 1 --html "$out/chain.html"
check open-chord --html "$out/open-chord.html"
check multi-paxos-map-bug --html "$out/multi-paxos-map-bug.html"
check open-chord --engine must --html "$out/open-chord-must.html"
linearize() { "$built/manyworlds" linearize "$@" >/dev/null || [ $? = "${expected:-1}" ]; }
linearize crates/cli/tests/data/histories/stale.jsonl --html "$out/stale.html"
linearize crates/cli/tests/data/histories/lock.edn --html "$out/lock.html"
awk 'BEGIN { print "{\"schema\": \"manyworlds-history/1\", \"spec\": \"register\"}"
  for (i = 0; i < 100000; i++) {
  printf "{\"process\": %d, \"type\": \"invoke\", \"f\": \"write\", \"value\": %d}\n", i % 7, i
  printf "{\"process\": %d, \"type\": \"ok\", \"f\": \"write\", \"value\": %d}\n", i % 7, i } }' >"$out/long.jsonl"
expected=0 linearize "$out/long.jsonl" --html "$out/long.html"
"$built/examples/page" >"$out/everything.html"
"$built/examples/page" long >"$out/large.html"

NODE_PATH="$out/node_modules" node tests/browser/reports.cjs "$out"
