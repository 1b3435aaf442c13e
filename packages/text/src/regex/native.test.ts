import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawFrom, randomPattern, randomText } from '../testing/random-pattern.ts';
import { backtrack } from './backtrack.ts';
import { codeClassesOf } from './code-classes.ts';
import { RegexBudget } from './matching.ts';
import { nativeOf } from './native.ts';
import { parseRegex } from './parse-regex.ts';
import { compileProgram } from './program.ts';
import { Regex } from './regex.ts';
import { RegexError } from './regex-error.ts';
import { Simulation } from './simulate.ts';

function enginesOf(pattern: string) {
  const parsed = parseRegex(pattern, 'go');
  const program = compileProgram(parsed, 20_000, pattern);
  const classes = codeClassesOf(program);
  return { program, classes, native: nativeOf(parsed.node, program, classes) };
}

describe('the platform’s own engine', () => {
  it.each([
    '^/api/v\\d+/users/([^/]+)/orders$',
    '^/files/(.*)\\.(png|jpg)$',
    '(?i)^/Files/.*\\.png$',
    '^[a-z]+(?:-[a-z]+)*$',
    '^(?:a|b)*c$',
    'googlebot|bingbot',
  ])('is used for %s', (pattern) => {
    expect(enginesOf(pattern).native).toBeDefined();
  });

  it.each([
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|ab)*c$',
    '^(ab)*.*c$',
    '^.*a.*b$',
    '^.*[ab].{100}c$',
    '^a*a*$',
    '^(a?){30}b$',
    '^(a*)*$',
    'a+b',
    '.*x',
    '^[a-z]*[a-f]{32}$x*',
    '^(?:.*a|b)$|^b*b',
  ])('is not trusted with %s', (pattern) => {
    expect(enginesOf(pattern).native).toBeUndefined();
  });

  it('finds what the others find, in thousands of patterns that are proved safe', () => {
    const draw = drawFrom(7);
    let proved = 0;
    for (let round = 0; round < 2000; round += 1) {
      const pattern = `${draw(3) === 0 ? '' : '^'}${randomPattern(draw, false)}`;
      let engines: ReturnType<typeof enginesOf>;
      try {
        engines = enginesOf(pattern);
      } catch (error) {
        if (error instanceof RegexError) continue;
        throw error;
      }
      const { program, classes, native } = engines;
      if (native === undefined) continue;
      proved += 1;
      for (let count = 0; count < 4; count += 1) {
        const text = randomText(draw);
        const slots = backtrack(program, classes, text, 0, new RegexBudget(1e6));
        const match = native.expression.exec(text);
        const seen = match === null ? undefined : [match.index, match.index + match[0].length];
        expect(seen, `${pattern} on ${JSON.stringify(text)}`).toEqual(
          slots === undefined ? undefined : [slots[0], slots[1]],
        );
      }
    }
    expect(proved).toBeGreaterThan(200);
  });

  it('takes no more steps than a few for each character where it is proved safe', () => {
    // By CPU time, since the engine does not count: going back from each place would take minutes.
    const draw = drawFrom(11);
    const startedAt = process.cpuUsage();
    let proved = 0;
    for (let round = 0; round < 800; round += 1) {
      const pattern = `^${randomPattern(draw, false)}`;
      try {
        const { native } = enginesOf(pattern);
        if (native === undefined) continue;
        proved += 1;
        for (const part of ['a', 'ab', 'b', 'abc'])
          native.expression.test(`${part.repeat(5000)}\u0001`);
      } catch (error) {
        if (!(error instanceof RegexError)) throw error;
      }
    }
    expect(proved).toBeGreaterThan(60);
    expect(process.cpuUsage(startedAt).user).toBeLessThan(20_000_000);
  });
});

it('all ways to run a pattern agree', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const draw = drawFrom(seed);
      const pattern = randomPattern(draw, false);
      let regex: Regex;
      try {
        regex = new Regex(pattern);
      } catch (error) {
        if (error instanceof RegexError) return;
        throw error;
      }
      const { program, classes } = enginesOf(pattern);
      const text = randomText(draw);
      const slots = backtrack(program, classes, text, 0, new RegexBudget(1e6));
      const simulated = new Simulation(
        program,
        classes,
        text,
        program.slotCount,
        new RegexBudget(1e6),
      );
      expect(simulated.run(0)).toEqual(slots);
      expect(regex.test(text)).toBe(slots !== undefined);
      const found = regex.exec(text);
      expect(found && [found.start, found.end]).toEqual(slots && [slots[0], slots[1]]);
    }),
    { numRuns: 600 },
  );
});
