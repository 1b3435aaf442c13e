import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { GoMap, goInt } from '../go/value.ts';
import { readValues } from '../values/read-values.ts';
import { setValues } from '../values/set-values.ts';
import { capabilitiesObject } from './capabilities.ts';
import { chartObject } from './chart-object.ts';
import { defaultCapabilities } from './default-capabilities.ts';
import { filesObject } from './files.ts';
import { renderTemplates } from './render-templates.ts';
import { type HelmMajor, valuesType } from './values-type.ts';

interface Given {
  readonly values?: string;
  readonly set?: readonly string[];
  readonly helpers?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly strict?: boolean;
  readonly lint?: boolean;
}

interface Recorded {
  readonly output?: string;
  readonly error?: string;
}

/** What the engine of a real Helm 3.22 made of each template; of Helm 4.3 where that made something else. */
type Row = readonly [template: string, given: Given, three: Recorded, four?: Recorded];
const recorded = JSON.parse(
  readFileSync(new URL('testdata/templates.json', import.meta.url), 'utf8'),
) as Record<string, Row[]>;

const metadata = {
  apiVersion: 'v2',
  name: 'demo',
  version: '1.2.3',
  appVersion: '4.5.6',
  description: 'a demo',
};

function rendered(template: string, given: Given, helm: HelmMajor): Recorded {
  try {
    const values = readValues(given.values ?? '');
    for (const text of given.set ?? []) setValues(values, text);
    const data = scope(values, given, helm);
    const file = (base: string, text: string) => ({
      path: `demo/templates/${base}`,
      text,
      data,
      basePath: 'demo/templates',
    });
    const files = [file('t.yaml', template)];
    if (given.helpers !== undefined) files.push(file('_h.tpl', given.helpers));
    const { strict = false, lint = false } = given;
    const output = renderTemplates(files, {
      helm,
      now: new Date('2026-11-15T20:00:00Z'),
      timeZone: 'UTC',
      random: (count) => new Uint8Array(count),
      makeKey,
      strict,
      lint,
    }).get('demo/templates/t.yaml');
    return { output: output! };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function scope(values: GoMap, { files = {} }: Given, helm: HelmMajor): GoMap {
  const capabilities = {
    ...defaultCapabilities(helm),
    kubeVersion: 'v1.34.0',
    normalizedKubeVersion: '',
  };
  const release = new GoMap([
    ['Name', 'rel'],
    ['Namespace', 'ns'],
    ['IsUpgrade', false],
    ['IsInstall', true],
    ['Revision', goInt(1)],
    ['Service', 'Helm'],
  ]);
  return new GoMap(
    [
      ['Values', values.as(valuesType(helm))],
      ['Chart', chartObject(metadata, true, helm)],
      ['Files', filesObject(new Map(Object.entries(files)))],
      ['Capabilities', capabilitiesObject(capabilities, helm)],
      ['Subcharts', new GoMap()],
      ['Release', release],
    ],
    valuesType(helm),
  );
}

/** One of another kind does: what is compared is how it is written. */
function makeKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

describe.each(Object.entries(recorded))('%s', (_feature, rows) => {
  for (const [template, given, three, four = three] of rows)
    test(template.slice(0, 100), () => {
      expect(rendered(template, given, 3)).toEqual(three);
      expect(rendered(template, given, 4)).toEqual(four);
    });
});
