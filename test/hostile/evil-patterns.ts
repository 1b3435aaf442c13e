/** A pattern that is made to be costly, and a text that makes it so. */
export interface EvilPattern {
  readonly pattern: string;
  readonly text: string;
  /** Only backtracking can run it: it is refused wherever it is written. */
  readonly isRefused?: boolean;
}

const a = (count: number): string => 'a'.repeat(count);
const x = (count: number): string => 'x'.repeat(count);
const many = (part: string, count: number): string => part.repeat(count);

function evil(pattern: string, text: string): EvilPattern {
  return { pattern, text };
}

function refused(pattern: string, text = a(40)): EvilPattern {
  return { pattern, text, isRefused: true };
}

/** Loops in loops, loops in a row, choices that overlap, counts that multiply, and what needs backtracking. */
export const evilPatterns: readonly EvilPattern[] = [
  evil('^(a+)+$', `${a(60)}!`),
  evil('^(a+)+b{20}$', a(60)),
  evil('^(a*)*$', `${a(60)}!`),
  evil('^(a|a)*$', `${a(60)}!`),
  evil('^(a|aa)+$', `${a(60)}!`),
  evil('^(a|a?)+$', `${a(60)}!`),
  evil('^([a-zA-Z]+)*$', `${a(60)}1`),
  evil('^(.*a){25}$', `${a(60)}!`),
  evil('^(.*a){12}b$', a(60)),
  evil('([a-z0-9]+-?)+[a-f]{32}$', many('a1b2-', 12)),
  evil('^((a+)+)+$', `${a(60)}!`),
  evil('^(((a+)+)+)+$', `${a(60)}!`),
  evil('^(a+){10}$', `${a(60)}!`),
  evil('^(a{1,30}){1,30}$', `${a(900)}!`),
  evil('^(a?){30}a{30}$', a(29)),
  evil('^(a?){50}(a?){50}a{100}$', a(99)),
  evil('(x+x+)+y', x(60)),
  evil('^(\\d+)+$', `${many('1', 60)}a`),
  evil('^(\\w+\\s?)*$', `${many('word ', 12)}!`),
  evil('^(\\w*)*=$', `${many('w', 60)}-`),
  evil('^([^/]+/?)+\\.html$', many('path/', 12)),
  evil('^(/[^/]*)*/end$', `${many('/p', 40)}x`),
  evil('^.*.*.*.*=.*$', x(2000)),
  evil('.*.*.*x.*y', x(2000)),
  evil('\\s+$', `${many(' ', 5000)}x`),
  evil('^\\s*(.*?)\\s*$x', many(' ', 3000)),
  evil('(.+)+(.+)+(.+)+z', a(60)),
  evil('^(a|b|ab)*c$', many('ab', 40)),
  evil('^(aa|aab|aba|a)*$', `${many('aab', 30)}c`),
  evil('^(([a-z])+.)+[A-Z]([a-z])+$', a(60)),
  evil('^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$', `${a(60)}!`),
  evil('^(([a-z]+)\\.)+com$', `${many('ab.', 30)}!`),
  evil('(?i)^(A+)+$', `${many('aA', 30)}!`),
  evil('(?i)^([a-z]+k)+$', `${many('ak', 30)}!`),
  evil('(?s)^(.|\\n)*=$', a(60)),
  evil('(?m)^(a+)+$', `${a(60)}!`),
  evil('^(\\pL+)+$', `${many('ä', 60)}!`),
  evil('^(\\p{Lu}|\\p{L})*$', `${many('Ä', 60)}!`),
  evil('^([[:alpha:]]+)+$', `${a(60)}!`),
  evil('^(.|[^x]|a)*$x', a(60)),
  evil('(a|ab)(c|bcd)(d*)x$', many('abcd', 500)),
  evil('^(a+?)+?$', `${a(60)}!`),
  evil('^(a*?)*?b$', a(60)),
  evil('^(?:(?:a?)*)*b$', a(60)),
  evil('(a{0,20}){0,20}b', a(500)),
  evil('[ab].{200}$', many('ab', 1000)),
  evil('^.*[ab].{100}c$', many('ab', 1000)),
  evil('(.{0,100}){0,10}z', x(1000)),
  evil('^(?:.{0,400}){2}b$', a(1000)),
  evil('\\b(\\w+\\b)+!$', `${many('w', 60)} `),
  evil('^(|a)*$', `${a(60)}!`),
  evil('^(a||b)*c$', many('ab', 30)),
  evil('^(<[^>]*>)*$', `${many('<a>', 30)}<`),
  evil('^("[^"]*"|[^"])*$x', many('"', 61)),
  evil('^(0|1|01|10|010)*2$', many('01', 40)),
  evil('(((((a*)*)*)*)*)*b', a(60)),
  refused('^(?=(a+))\\1b$'),
  refused('^(?!.*b)(a+)+$'),
  refused('(?<=a)b'),
  refused('(a+)\\1+b'),
  refused('^(?>a+)b$'),
];
