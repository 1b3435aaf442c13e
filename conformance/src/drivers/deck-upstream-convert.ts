import { isDeepStrictEqual } from 'node:util';
import {
  conversionPairs,
  type DeclarativeConfig,
  findConversion,
  type JsonObject,
  mergeContents,
  parseContent,
} from '@waygate/kong';
import { convertToKic } from '@waygate/kong/kic';
import type { StateObject } from '@waygate/kong/rewrite';
import { printYaml } from '@waygate/text';
import { fail, type Outcome, pass, skip } from '../driver.ts';
import type { UpstreamCase } from './deck-upstream-case.ts';

/** The manifests of a test of `kong2kic`, byte for byte. */
function runKic({ builder = '', input, expectOutput }: UpstreamCase): Outcome {
  const [, version, api] = /^KICV([23])_(GATEWAY|INGRESS)$/.exec(builder) ?? [];
  const { content, problems } = parseContent(String(input));
  if (problems[0] !== undefined) return fail(problems[0]);
  const { manifests } = convertToKic(content as unknown as StateObject, {
    className: 'kong',
    version: version === '2' ? 2 : 3,
    api: api === 'INGRESS' ? 'ingress' : 'gateway',
  });
  const text = manifests.map((one) => `${printYaml(one)}---\n`).join('');
  // Where documents begin and end is not what the test compares.
  const documents = (one: string) => one.split(/^---$/m).map((document) => document.trim());
  const wanted = documents(String(expectOutput));
  const got = documents(text);
  const index = wanted.findIndex((document, place) => document !== got[place]);
  if (index === -1 && wanted.length === got.length) return pass;
  return fail(`document ${index + 1}: wanted ${wanted[index]}, got ${got[index]}`);
}

function compare(wanted: unknown, got: unknown): Outcome {
  return isDeepStrictEqual(got, wanted)
    ? pass
    : fail(`wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
}

/** A test of the names of formats: those that we turn files from or into, and no others. */
function runFormat(key: string, isRefused: boolean): Outcome {
  const isKnown = conversionPairs.flat().includes(key);
  return isKnown === !isRefused ? pass : fail(`${key} is ${isKnown ? '' : 'not '}known`);
}

/** The files of a test, turned; what is wrong, if anything is. */
function convertFiles(test: UpstreamCase): DeclarativeConfig | string {
  const convert = findConversion(String(test.from), String(test.to));
  if (convert === undefined) return `cannot convert from ${test.from} to ${test.to}`;
  const { envVars = {} } = (test.params ?? {}) as { envVars?: Record<string, string> };
  const texts = Object.values((test.input ?? {}) as Record<string, string>);
  if (texts.length === 0) return 'there is no file';
  const parsed = texts.map((text) => parseContent(text, { environment: envVars }));
  const problem = parsed.flatMap(({ problems }) => problems)[0];
  if (problem !== undefined) return problem;
  return convert(mergeContents(parsed.map(({ content }) => content)).config).config;
}

/** A test of `file convert`, of `file kong2kic`, or of what decK does for one of them. */
export function runConvert(test: UpstreamCase): Outcome {
  if (test.command === 'file kong2kic') return runKic(test);
  const { key } = (test.args ?? {}) as { key?: unknown };
  if (typeof key === 'string') return runFormat(key, test.wantErr === true);
  if (test.plugin !== undefined) {
    const config = { plugins: [test.plugin] } as unknown as DeclarativeConfig;
    const [plugin] = findConversion('3.10', '3.14')?.(config).config.plugins ?? [];
    return compare(test.expected, (plugin as JsonObject | undefined)?.config ?? {});
  }
  if (test.command !== 'file convert') return skip('converts for Konnect');
  const got = convertFiles(test);
  if (test.wantErr === true) return typeof got === 'string' ? pass : fail('was converted');
  if (/konnect/.test(`${test.from} ${test.to}`)) return skip('converts for Konnect');
  if (typeof got === 'string') return fail(got);
  return compare(parseContent(String(test.expectOutput)).content, got);
}
