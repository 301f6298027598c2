//! Input for readers: random, or valid input that was damaged.

use manyworlds_core::random::SplitMix64;

/// Numbers at and beyond the limits of what a reader keeps them in.
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "-0",
    "255",
    "65536",
    "4294967296",
    "9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999999999999999999999999",
    "1e999",
    "0.1",
    "NaN",
];

/// Bytes that are not UTF-8, or that readers tend to forget.
const ODD: [&[u8]; 9] = [
    b"\xff",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xe2\x82",
    b"\0",
    b"\r",
    b"\xef\xbb\xbf",
    b"\xc2\xa0",
];

/// Brackets that make a recursive reader deep.
const BRACKETS: [&str; 8] = ["[", "{", "(", "#{", "{\"a\":", "[{\"a\":", "Some(", "#_ "];

/// How deep.
pub const DEEP: usize = 100_000;

/// What inputs are made of.
pub struct Source<'a> {
    /// Valid inputs.
    pub samples: &'a [Vec<u8>],
    /// Words that the reader knows.
    pub words: &'a [String],
}

/// A kind of input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// As it is.
    Sample,
    /// Bytes.
    Bytes,
    /// Words of the reader, in any order.
    Words,
    /// The beginning of a sample.
    Truncated,
    /// Bytes of a sample were changed.
    Flipped,
    /// The beginning of a sample and the end of a sample.
    Spliced,
    /// A part of a sample was left out or written twice.
    Repeated,
    /// Lines of a sample were exchanged.
    Lines,
    /// A number of a sample was replaced.
    Number,
    /// A word was put into a sample, or in the place of a part of it.
    Word,
    /// Bytes that are not UTF-8 were put into a sample.
    Odd,
    /// Many brackets are opened inside of a sample, or instead of one.
    Deep,
}

impl Kind {
    /// Every kind. Deep input is large, so there is less of it: see [`Kind::of`].
    pub const ALL: [Kind; 12] = [
        Kind::Sample,
        Kind::Bytes,
        Kind::Words,
        Kind::Truncated,
        Kind::Flipped,
        Kind::Spliced,
        Kind::Repeated,
        Kind::Lines,
        Kind::Number,
        Kind::Word,
        Kind::Odd,
        Kind::Deep,
    ];

    /// The kind of a case: the first ones are of each kind in turn, later ones are mostly damaged samples.
    pub fn of(case: u64) -> Kind {
        let kinds = Kind::ALL.len() as u64;
        let deep = case < 8 * kinds || case.is_multiple_of(50 * kinds);
        let kind = Kind::ALL[(case % kinds) as usize];
        if kind == Kind::Deep && !deep { Kind::Flipped } else { kind }
    }
}

fn below(random: &mut SplitMix64, n: usize) -> usize {
    random.below(n.max(1))
}

fn pick<'a, T>(random: &mut SplitMix64, from: &'a [impl std::borrow::Borrow<T>]) -> &'a [u8]
where
    T: ?Sized + AsRef<[u8]> + 'a,
{
    let n = below(random, from.len());
    from.get(n).map_or(&[], |one| one.borrow().as_ref())
}

/// A part of something so long.
fn range(random: &mut SplitMix64, length: usize) -> std::ops::Range<usize> {
    let from = below(random, length + 1);
    from..from + below(random, (length - from).min(40) + 1)
}

/// The runs of digits in a text.
fn numbers(text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let digits = text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 {
            found.push(at..at + digits);
        }
        at += digits.max(1);
    }
    found
}

fn lines(random: &mut SplitMix64, sample: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = sample.split(|&byte| byte == b'\n').collect();
    for _ in 0..=below(random, 3) {
        let (one, other) = (below(random, lines.len()), below(random, lines.len()));
        match below(random, 3) {
            0 => lines.swap(one, other),
            1 => lines.insert(one, lines[other]),
            _ if lines.len() > 1 => drop(lines.remove(one)),
            _ => {}
        }
    }
    lines.join(&b'\n')
}

fn deep(random: &mut SplitMix64, sample: &[u8]) -> Vec<u8> {
    let brackets = BRACKETS[below(random, BRACKETS.len())].repeat(DEEP);
    let at = if random.below(2) == 0 { 0 } else { below(random, sample.len() + 1) };
    [&sample[..at], brackets.as_bytes(), &sample[at..]].concat()
}

/// An input of this kind.
pub fn input(kind: Kind, source: &Source<'_>, random: &mut SplitMix64) -> Vec<u8> {
    let mut sample = pick::<[u8]>(random, source.samples).to_vec();
    match kind {
        Kind::Sample => {}
        Kind::Bytes => sample = (0..below(random, 200)).map(|_| random.below(256) as u8).collect(),
        Kind::Words => {
            let count = below(random, 60);
            sample = (0..count).flat_map(|_| pick::<str>(random, source.words).to_vec()).collect();
        }
        Kind::Truncated => sample.truncate(below(random, sample.len() + 1)),
        Kind::Flipped => {
            for _ in 0..=below(random, 8) {
                let at = below(random, sample.len());
                if let Some(byte) = sample.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
        Kind::Spliced => {
            let other = pick::<[u8]>(random, source.samples);
            sample.truncate(below(random, sample.len() + 1));
            sample.extend_from_slice(&other[below(random, other.len() + 1)..]);
        }
        Kind::Repeated => {
            let part = range(random, sample.len());
            let to = if random.below(2) == 0 { [].to_vec() } else { sample[part.clone()].repeat(2) };
            drop(sample.splice(part, to));
        }
        Kind::Lines => sample = lines(random, &sample),
        Kind::Number => {
            let numbers = numbers(&sample);
            if let Some(part) = numbers.get(below(random, numbers.len())) {
                drop(sample.splice(part.clone(), pick::<str>(random, &NUMBERS).to_vec()));
            }
        }
        Kind::Word => {
            let part = range(random, sample.len());
            let part = if random.below(2) == 0 { part.start..part.start } else { part };
            drop(sample.splice(part, pick::<str>(random, source.words).to_vec()));
        }
        Kind::Odd => {
            for _ in 0..=below(random, 3) {
                let at = below(random, sample.len() + 1);
                drop(sample.splice(at..at, pick::<[u8]>(random, &ODD).to_vec()));
            }
        }
        Kind::Deep => sample = deep(random, &sample),
    }
    sample
}
