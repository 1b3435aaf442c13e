/** Draws numbers from 0 up to a bound; the same seed draws the same. */
export type Draw = (bound: number) => number;

export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

const atoms = [
  'a',
  'b',
  'c',
  'ab',
  'K',
  's',
  'é',
  '中',
  '😀',
  '.',
  '-',
  '/',
  '1',
  '[ab]',
  '[^a]',
  '[a-c]',
  '[^b-d\\n]',
  '[[:alpha:]]',
  '[[:^digit:]x]',
  '[\\d-]',
  '[\\w.]',
  '[]a]',
  '[a\\]]',
  '[^\\s]',
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '\\pL',
  '\\p{Lu}',
  '\\P{Greek}',
  '[\\pN_]',
  '\\x61',
  '\\x{1F600}',
  '\\n',
  '\\.',
  '\\101',
  '\\Qa.b\\E',
  '\\Q*\\E',
  '(?:)',
  '()',
  '(?i:k)',
  '(?i:É)',
  '(?s:.)',
];
const places = ['^', '$', '\\b', '\\B', '\\A', '\\z', '(?m:^)', '(?m:$)'];
const quantifiers = [
  '*',
  '+',
  '?',
  '*?',
  '+?',
  '??',
  '{0}',
  '{1}',
  '{2}',
  '{0,2}',
  '{1,3}',
  '{2,}',
  '{0,1}?',
  '{1,2}?',
  '{2,}?',
  '{,2}',
];
const groups = ['(', '(', '(?:', '(?i:', '(?s:', '(?U:', '(?m:', '(?i-s:', '(?P<n', '(?<n'];
const flags = ['(?i)', '(?s)', '(?m)', '(?U)', '(?im-s)'];
/** Signs that may make a pattern wrong. */
const odd = [
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '*',
  '\\',
  '(?',
  '(?=a)',
  '\\1',
  '\\8',
  '(?!b)',
  '[b-a]',
  '[[:foo:]]',
  '\\pX',
  'a**',
  'a{1001}',
  '(?x)',
  '(?-)',
  '\\Z',
  '\\C',
  'x{2}{3}',
  '\\_',
  '{2}',
  '|*',
  '^*',
  '$+',
  '\\b?',
];

export function randomPattern(draw: Draw, isOdd = draw(12) === 0): string {
  let names = 0;
  const pick = (list: readonly string[]): string => list[draw(list.length)] as string;
  const part = (depth: number): string => {
    const kind = draw(10);
    if (isOdd && draw(8) === 0) return pick(odd);
    if (kind < 5 || depth > 4) return pick(atoms);
    if (kind === 5) return pick(places);
    if (kind === 6 && draw(3) === 0) return pick(flags);
    let open = pick(groups);
    if (open.endsWith('<n')) open += `${names++}>`;
    return `${open}${choice(depth + 1)})`;
  };
  const sequence = (depth: number): string => {
    let text = '';
    for (let count = draw(4) + (depth === 0 ? 1 : 0); count > 0; count -= 1) {
      const one = part(depth);
      const isFlag = flags.includes(one);
      text += one + (!isFlag && draw(5) < 2 ? pick(quantifiers) : '');
    }
    return text;
  };
  const choice = (depth: number): string => {
    const options = [sequence(depth)];
    while (draw(4) === 0) options.push(sequence(depth));
    return options.join('|');
  };
  return choice(0);
}

const letters = [
  'a',
  'b',
  'c',
  'A',
  'B',
  'k',
  'K',
  '\u212a',
  's',
  'ſ',
  'é',
  'É',
  '中',
  '😀',
  'α',
  '1',
  '2',
  ' ',
  '\n',
  '.',
  '-',
  '_',
  '/',
  '*',
  'ab',
  'a.b',
];

export function randomText(draw: Draw): string {
  let text = '';
  for (let count = draw(14); count > 0; count -= 1)
    text += letters[draw(draw(2) === 0 ? 3 : letters.length)];
  return text;
}
