import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawFrom, randomPattern, randomText } from '../testing/random-pattern.ts';
import { foldCase } from './fold-case.ts';
import { Regex } from './regex.ts';
import { RegexError } from './regex-error.ts';

/** Answers each line of patterns and texts with what Go's regexp package finds. */
const program = `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"unicode"
)

type question struct {
	Pattern string
	Texts   []string
}

type answer struct {
	Error   string
	Matches []bool
	All     [][][]*string
}

func main() {
	if len(os.Args) > 1 {
		for r := rune(0); r <= unicode.MaxRune; r++ {
			if f := unicode.SimpleFold(r); f != r {
				fmt.Println(r, f)
			}
		}
		return
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	decoder := json.NewDecoder(in)
	encoder := json.NewEncoder(os.Stdout)
	for decoder.More() {
		var q question
		if err := decoder.Decode(&q); err != nil {
			panic(err)
		}
		var a answer
		re, err := regexp.Compile(q.Pattern)
		if err != nil {
			a.Error = err.Error()
			encoder.Encode(a)
			continue
		}
		for _, text := range q.Texts {
			a.Matches = append(a.Matches, re.MatchString(text))
			all := [][]*string{}
			for _, at := range re.FindAllStringSubmatchIndex(text, -1) {
				one := []*string{}
				for i := 0; i < len(at); i += 2 {
					if at[i] < 0 {
						one = append(one, nil)
						continue
					}
					part := text[at[i]:at[i+1]]
					one = append(one, &part)
				}
				all = append(all, one)
			}
			a.All = append(a.All, all)
		}
		encoder.Encode(a)
	}
}
`;

interface Answer {
  readonly Error: string;
  readonly Matches: readonly boolean[] | null;
  readonly All: readonly (readonly (readonly (string | null)[])[])[] | null;
}

const hasGo = spawnSync('go', ['version']).status === 0;

describe.skipIf(!hasGo)('Go’s regexp package', () => {
  const directory = mkdtempSync(join(tmpdir(), 'waygate-regexp-'));
  const binary = join(directory, 'regexp');

  beforeAll(() => {
    writeFileSync(join(directory, 'main.go'), program);
    execFileSync('go', ['build', '-o', binary, 'main.go'], {
      cwd: directory,
      env: { ...process.env, GOFLAGS: '-mod=mod', GO111MODULE: 'off', GOWORK: 'off' },
    });
  });

  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  it('finds the same in the same texts, or refuses with the same words', () => {
    const draw = drawFrom(20_261_115);
    const questions = Array.from({ length: 8_000 }, () => ({
      Pattern: randomPattern(draw),
      Texts: Array.from({ length: 4 }, () => randomText(draw)),
    }));
    const output = execFileSync(binary, {
      input: questions.map((question) => JSON.stringify(question)).join('\n'),
      maxBuffer: 1 << 30,
    });
    const answers = output
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Answer);
    const differences: string[] = [];
    let refused = 0;
    questions.forEach(({ Pattern, Texts }, index) => {
      const { Error: refusal, Matches, All } = answers[index] as Answer;
      if (refusal !== '') refused += 1;
      const ours = find(Pattern, Texts);
      const theirs = refusal === '' ? { matches: Matches, all: All } : refusal;
      if (JSON.stringify(ours) !== JSON.stringify(theirs)) {
        differences.push(JSON.stringify({ Pattern, Texts, ours, theirs }));
      }
    });
    expect(differences.slice(0, 20)).toEqual([]);
    expect(refused).toBeGreaterThan(200);
    expect(questions.length - refused).toBeGreaterThan(5_000);
  });

  it('folds the same letters', () => {
    const known = new Map<number, number>();
    for (const line of execFileSync(binary, ['folds']).toString().trimEnd().split('\n')) {
      const [from, to] = line.split(' ').map(Number);
      known.set(from as number, to as number);
    }
    const wrong: string[] = [];
    for (const code of known.keys()) {
      const orbit = new Set([code]);
      for (let next = known.get(code) as number; next !== code; next = known.get(next) as number) {
        orbit.add(next);
      }
      const ours = foldCase([code, code]);
      const members = [...Array(ours.length / 2).keys()].flatMap((pair) => {
        const first = ours[pair * 2] as number;
        return Array.from(
          { length: (ours[pair * 2 + 1] as number) - first + 1 },
          (_, at) => first + at,
        );
      });
      const theirs = [...orbit].sort((a, b) => a - b);
      if (members.join() !== theirs.join()) {
        wrong.push(
          `${code.toString(16)}: ${members.map((one) => one.toString(16))} for ${theirs.map((one) => one.toString(16))}`,
        );
      }
    }
    expect(wrong).toEqual([]);
  });
});

function find(pattern: string, texts: readonly string[]): unknown {
  try {
    const regex = new Regex(pattern);
    return {
      matches: texts.map((text) => regex.test(text)),
      all: texts.map((text) =>
        regex
          .findAll(text)
          .map(({ start, end, groups }) => [
            text.slice(start, end),
            ...groups.map((one) => one ?? null),
          ]),
      ),
    };
  } catch (error) {
    if (error instanceof RegexError) return error.message;
    throw error;
  }
}
