import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  capabilitiesObject,
  chartObject,
  defaultCapabilities,
  encodeBytes,
  filesObject,
  GoMap,
  goInt,
  HelmError,
  type HelmMajor,
  readValues,
  renderTemplates,
  setValues,
  valuesType,
} from '@waygate/helm';
import { type ConformanceCase, fail, type Outcome, pass } from '../driver.ts';

interface Recorded {
  readonly output?: string;
  readonly output_b64?: string;
  readonly error?: string;
  /** Where it failed, when not in rendering. */
  readonly stage?: 'values' | 'set';
}

interface ExpressionCase {
  readonly id: string;
  readonly template: string;
  readonly values?: string;
  readonly set?: readonly string[];
  readonly helpers?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly strict?: boolean;
  readonly lint?: boolean;
  readonly v3: Recorded;
  /** Only where Helm 4 gave something else. */
  readonly v4?: Recorded;
  /** Two runs of the real one differed. */
  readonly noisy?: boolean;
}

type Rendered = { readonly output: string } | { readonly error: string };

/** The cases of one file of `expr/`, each rendered as Helm 3 and as Helm 4. */
export function* expressionCases(name: string, data: unknown): Iterable<ConformanceCase> {
  const feature = name.replace(/^expr\//, '').replace(/\.json$/, '');
  for (const each of data as ExpressionCase[]) {
    yield {
      id: each.id,
      feature,
      run: async () => {
        const three = judge(render(each, 3), each.v3, each.noisy ?? false);
        if (three !== undefined) return fail(`Helm 3: ${three}`);
        const four = judge(render(each, 4), each.v4 ?? each.v3, each.noisy ?? false);
        return four === undefined ? pass : fail(`Helm 4: ${four}`);
      },
    } satisfies ConformanceCase & { run(): Promise<Outcome> };
  }
}

/** The bytes that recordings are compared with do not depend on it, but those of a run stay the same. */
const now = new Date('2026-11-15T20:00:00Z');

function render(each: ExpressionCase, helm: HelmMajor): Rendered {
  try {
    const values = readValues(each.values ?? '');
    for (const text of each.set ?? []) setValues(values, text);
    const data = scope(values, each, helm);
    const file = (base: string, text: string) => ({
      path: `demo/templates/${base}`,
      text,
      data,
      basePath: 'demo/templates',
    });
    const files = [file('t.yaml', each.template)];
    if (each.helpers !== undefined) files.push(file('_h.tpl', each.helpers));
    const rendered = renderTemplates(files, {
      helm,
      now,
      timeZone: 'UTC',
      random: pseudoRandom(),
      makeKey: oneKeyOfEach,
      strict: each.strict ?? false,
      lint: each.lint ?? false,
    });
    return { output: rendered.get('demo/templates/t.yaml')! };
  } catch (error) {
    if (error instanceof HelmError) return { error: error.message };
    throw error;
  }
}

function scope(values: GoMap, each: ExpressionCase, helm: HelmMajor): GoMap {
  const metadata = {
    apiVersion: 'v2',
    name: 'demo',
    version: '1.2.3',
    appVersion: '4.5.6',
    description: 'a demo',
  };
  const capabilities = {
    ...defaultCapabilities(helm),
    kubeVersion: 'v1.34.0',
    normalizedKubeVersion: '',
  };
  return new GoMap(
    [
      ['Values', values.as(valuesType(helm))],
      ['Chart', chartObject(metadata, true, helm)],
      ['Files', filesObject(new Map(Object.entries(each.files ?? {})))],
      ['Capabilities', capabilitiesObject(capabilities, helm)],
      ['Subcharts', new GoMap()],
      [
        'Release',
        new GoMap([
          ['Name', 'rel'],
          ['Namespace', 'ns'],
          ['IsUpgrade', false],
          ['IsInstall', true],
          ['Revision', goInt(1)],
          ['Service', 'Helm'],
        ]),
      ],
    ],
    valuesType(helm),
  );
}

/** Bytes that look random and are the same in every run. */
function pseudoRandom(): (count: number) => Uint8Array {
  let state = 0x2545f491;
  return (count) =>
    Uint8Array.from({ length: count }, () => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return state & 0xff;
    });
}

const keys = new Map<string, KeyObject>();

/** What is judged of keys is how they are written: one of each kind does, and takes no time to make. */
function oneKeyOfEach(kind: 'rsa-2048' | 'rsa-4096' | 'dsa' | 'ecdsa' | 'ed25519'): KeyObject {
  const key = keys.get(kind) ?? makeOne(kind);
  keys.set(kind, key);
  return key;
}

function makeOne(kind: string): KeyObject {
  if (kind === 'ed25519') return generateKeyPairSync('ed25519').privateKey;
  if (kind === 'dsa') {
    return generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }).privateKey;
  }
  if (kind === 'ecdsa') return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
}

/** What is wrong, or undefined. */
function judge(rendered: Rendered, recorded: Recorded, isNoisy: boolean): string | undefined {
  if (recorded.error !== undefined) {
    if (!('error' in rendered)) {
      return `it should fail: ${recorded.error.slice(0, 300)}, but gave ${rendered.output.slice(0, 200)}`;
    }
    const isSame = isNoisy || lastMessage(rendered.error) === lastMessage(recorded.error);
    if (!isSame) return `expected the error\n${recorded.error}\n... but got\n${rendered.error}`;
    if (process.env.WAYGATE_WHOLE_ERRORS === '1' && rendered.error !== recorded.error) {
      return `expected the whole error\n${recorded.error}\n... but got\n${rendered.error}`;
    }
    return undefined;
  }
  if ('error' in rendered) return `it failed: ${rendered.error.slice(0, 400)}`;
  const expected =
    recorded.output === undefined
      ? Buffer.from(recorded.output_b64!, 'base64')
      : Buffer.from(recorded.output);
  const actual = encodeBytes(rendered.output);
  if (actual.equals(expected)) return undefined;
  const shown = (bytes: Buffer): string => JSON.stringify(bytes.toString('utf8').slice(0, 600));
  if (isNoisy && shape(actual.toString()) === shape(expected.toString())) return undefined;
  return `expected ${shown(expected)}, but got ${shown(actual)}`;
}

/** What is said of the mistake itself, without the places that lead to it. */
function lastMessage(error: string): string {
  const at = Math.max(error.lastIndexOf('>: '), error.lastIndexOf('>:\n'));
  return error
    .slice(at < 0 ? 0 : at + 3)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Digits and letters by kind: what is left of a text when time and chance are taken away. */
function shape(text: string): string {
  return text.replaceAll(/[0-9a-f]+/gi, '0');
}
