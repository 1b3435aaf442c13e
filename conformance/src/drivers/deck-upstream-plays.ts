import {
  type DeclarativeConfig,
  findDiagnostics,
  type JsonObject,
  type JsonValue,
  type Operation,
  parseDiagnosticCodes,
  pluginNames,
} from '@waygate/kong';
import { fail, type Outcome, pass, skip } from '../driver.ts';
import { flagsOf, lists, paramsOf, strangersOf, type UpstreamCase } from './deck-upstream-case.ts';
import { type Flags, UpstreamGateway } from './deck-upstream-gateway.ts';
import { difference } from './kic-compare.ts';

export type Play = (gateway: UpstreamGateway, test: UpstreamCase) => Promise<Outcome>;

/** Brings the gateway to where the test begins. */
async function bring(gateway: UpstreamGateway, test: UpstreamCase): Promise<string | undefined> {
  const files = [...(test.before ?? []), ...(test.target ?? [])];
  const syncs = (test.steps ?? []).filter((step) => step.startsWith('sync('));
  for (const [index, file] of files.entries()) {
    // Where each file has a step of its own, it has that one's flags.
    const place = syncs.length === files.length ? index : -1;
    const wrong = await gateway.sync(file, flagsOf(test, 'sync', place));
    if (wrong !== undefined) return `${file.path}: ${wrong}`;
  }
  return undefined;
}

/** The error that a test wants, where it wants one. */
function wantedError(test: UpstreamCase): string | undefined {
  const { expectedError, errorExpected, errorString } = paramsOf(test);
  const wanted = [expectedError, errorExpected, errorString].find(
    (one) => typeof one === 'string' && one !== '',
  );
  return wanted as string | undefined;
}

const playSync: Play = async (gateway, test) => {
  for (const stranger of strangersOf(test)) await gateway.make(stranger);
  const wrong = await bring(gateway, test);
  const wanted = wantedError(test);
  if (wanted !== undefined) {
    if (wrong === undefined) return fail(`was taken, where ${wanted} was wanted`);
    // What to do about it is said in words of our own.
    const [line = ''] = wanted.split('\n');
    return wrong.includes(line.replace(/\.$/, '')) ? pass : fail(`wanted ${line}, got ${wrong}`);
  }
  if (wrong !== undefined) return fail(wrong);
  const again = await gateway.diff(test.target!.at(-1)!, flagsOf(test, 'sync'));
  if (typeof again === 'string') return fail(again);
  const left = again.map(({ op, label }) => `${op} ${label}`);
  if (left.length > 0) return fail(`a second run would still ${left.join(', ')}`);
  return compareNames(gateway, test);
};

/** Applies the last file over what the others made; a second time it would do nothing. */
const playApply: Play = async (gateway, test) => {
  for (const file of test.before ?? []) {
    const wrong = await gateway.sync(file, flagsOf(test, 'sync'));
    if (wrong !== undefined) return fail(`${file.path}: ${wrong}`);
  }
  for (const file of test.target ?? []) {
    const wrong = await gateway.apply(file, flagsOf(test, 'apply'));
    if (wrong !== undefined) return fail(`${file.path}: ${wrong}`);
  }
  // Where the expected file is not in the data, what each file names is there, and nothing is left to do.
  for (const file of [...(test.before ?? []), ...(test.target ?? [])].slice(-1)) {
    const left = await gateway.diff(file, { ...flagsOf(test, 'apply'), isPartial: true });
    if (typeof left === 'string') return fail(left);
    if (left.length > 0) return fail(`a second apply would still ${left[0]?.op} ${left[0]?.label}`);
  }
  return compareNames(gateway, test);
};

/** A dump that gives nothing away is a file still: Kong takes it, and has as much as before. */
const playSanitize: Play = async (gateway, test) => {
  const wrong = await bring(gateway, test);
  if (wrong !== undefined) return fail(wrong);
  const before = await gateway.state(flagsOf(test, 'dump'));
  const json = await gateway.dump(flagsOf(test, 'dump'));
  const none: Flags = { texts: [], environment: {} };
  const again = (await gateway.reset(none)) ?? (await gateway.sync({ path: 'dump', json }, none));
  if (again !== undefined) return fail(again);
  const after = await gateway.state();
  for (const [collection] of Object.values(lists)) {
    const counts = [before, after].map((state) => [...state.values(collection)].length);
    if (counts[0] !== counts[1]) return fail(`${collection}: had ${counts[0]}, has ${counts[1]}`);
  }
  return pass;
};

const playReset: Play = async (gateway, test) => {
  const wrong = (await bring(gateway, test)) ?? (await gateway.reset(flagsOf(test, 'reset')));
  return wrong === undefined ? compareNames(gateway, test, true) : fail(wrong);
};

/** What a Kong fills in of a plugin that is not known here is its own: only what was given is compared. */
function withoutForeignDefaults(wanted: unknown, got: unknown): JsonValue {
  if (Array.isArray(wanted) && Array.isArray(got))
    return wanted.map((item, index) => withoutForeignDefaults(item, got[index]));
  if (!isRecord(wanted) || !isRecord(got)) return wanted as JsonValue;
  const isForeign =
    isRecord(wanted.config) && typeof wanted.name === 'string' && !isKnownPlugin(wanted.name);
  return Object.fromEntries(
    Object.entries(wanted).map(([key, value]) => [
      key,
      isForeign && key === 'config'
        ? common(value, got[key])
        : withoutForeignDefaults(value, got[key]),
    ]),
  );
}

/** Of a value the fields that another has, too. */
function common(wanted: unknown, got: unknown): JsonValue {
  if (!isRecord(wanted) || !isRecord(got)) return wanted as JsonValue;
  const fields = Object.entries(wanted).filter(([key]) => key in got);
  return Object.fromEntries(fields.map(([key, value]) => [key, common(value, got[key])]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function isKnownPlugin(name: string): boolean {
  return pluginNames().includes(name) || ['env', 'aws', 'gcp', 'azure', 'hcv'].includes(name);
}

const playDump: Play = async (gateway, test) => {
  const wrong = await bring(gateway, test);
  if (wrong !== undefined) return fail(wrong);
  const wanted = test.expectFile?.at(-1)?.json;
  if (wanted === undefined) return skip('has no file to compare with');
  const dumped = await gateway.dump(flagsOf(test, 'dump'));
  const problem = difference(withoutForeignDefaults(wanted, dumped), dumped);
  return problem === undefined ? pass : fail(problem);
};

/** What is said of each change: its title. The fields of an update are shown otherwise here, those that change alone. */
function titles(text: string): string {
  const lines = text.split('\n').filter((line) => /^(?:creating|updating|deleting) /.test(line));
  return JSON.stringify(lines.map((line) => line.replace(/ +\{$/, '').trim()).sort());
}

/** A test that says what differs, how much, or that values of the environment are not shown. */
const playDiff: Play = async (gateway, test) => {
  const flags = flagsOf(test, 'diff');
  const files = [...(test.before ?? []), ...(test.target ?? [])];
  for (const file of files.slice(0, -1)) {
    const wrong = await gateway.sync(file, flagsOf(test, 'sync'));
    if (wrong !== undefined) return fail(`${file.path}: ${wrong}`);
  }
  const { expectedDiff, expectedDeleteCount, noDeletes, isDiffExpected } = paramsOf(test);
  const operations = await gateway.diff(files.at(-1)!, { ...flags, isPartial: noDeletes === true });
  if (typeof operations === 'string') return fail(operations);
  const count = (op: string) => operations.filter((one) => one.op === op).length;
  if (typeof expectedDeleteCount === 'number') {
    const got = count('delete');
    return got === expectedDeleteCount ? pass : fail(`would delete ${got}`);
  }
  if (isDiffExpected === false) {
    return operations.length === 0 ? pass : fail(`would change ${operations[0]?.label}`);
  }
  if (typeof expectedDiff === 'string') {
    const text = gateway.report(operations, flags);
    const [wanted, got] = [titles(expectedDiff), titles(text)];
    if (wanted !== got) return fail(`wanted ${wanted}, got ${got}`);
    const summary = expectedDiff.slice(expectedDiff.indexOf('Summary:')).trim();
    return text.includes(summary) ? pass : fail(`wanted ${summary}, got ${text.slice(-60)}`);
  }
  const values = Object.values(flags.environment).filter((value) => value.length >= 4);
  if (values.length === 0) return skip('does not say what differs');
  return compareMasks(gateway, operations, flags, values);
};

/** Whether values of the environment show in what is printed exactly when that is asked for. */
function compareMasks(
  gateway: UpstreamGateway,
  operations: readonly Operation[],
  flags: Flags,
  values: readonly string[],
): Outcome {
  const isShown = flags.texts.includes('--no-mask-deck-env-vars-value');
  for (const texts of [[], ['--json-output']]) {
    const text = gateway.report(operations, { ...flags, texts: [...flags.texts, ...texts] });
    const shown = values.find((value) => text.includes(value));
    if (shown !== undefined && !isShown) return fail(`shows ${shown}`);
    if (isShown && text.includes('[masked]')) return fail('masks what is to be shown');
    if (!isShown && !text.includes('[masked]')) return fail('masks nothing');
  }
  return pass;
}

/** Plays a test on one Kong. */
export async function play(test: UpstreamCase, how: Play, kong: string): Promise<Outcome> {
  const files = [...(test.before ?? []), ...(test.target ?? [])];
  const isExpression = /"expression":/.test(JSON.stringify(files));
  const gateway = new UpstreamGateway(
    kong,
    isExpression ? 'expressions' : 'traditional_compatible',
  );
  await gateway.start();
  try {
    return await how(gateway, test);
  } finally {
    await gateway.stop();
  }
}

async function compareNames(
  gateway: UpstreamGateway,
  test: UpstreamCase,
  isWhole = false,
): Promise<Outcome> {
  const state = await gateway.state();
  const expected = typeof test.expectAfter === 'object' ? test.expectAfter : {};
  for (const [key, [collection, field]] of Object.entries(lists)) {
    const entities = expected[key];
    if (entities === undefined && !isWhole) continue;
    const nameOf = (entity: JsonObject) =>
      entity[field] ?? (entity.consumer_group as JsonObject | undefined)?.[field];
    const names = (items: Iterable<JsonObject>) =>
      JSON.stringify([...items].map((entity) => String(nameOf(entity) ?? '')).sort());
    // A name that stands in the test's code as an expression is not known here.
    const isKnown = (entities ?? []).every((entity) => typeof nameOf(entity) === 'string');
    const got = names(state.values(collection));
    const count = [...state.values(collection)].length;
    if (isKnown ? names(entities ?? []) !== got : entities?.length !== count)
      return fail(`${collection}: wanted ${names(entities ?? [])}, got ${got}`);
  }
  return pass;
}

/** Renders a file, with codes of diagnostics that there are or not. */
const playRender: Play = async (_gateway, test) => {
  const { texts } = flagsOf(test, 'render');
  const codes = texts.flatMap((text, index) =>
    /^-[EW]$/.test(text) ? [texts[index + 1] ?? ''] : [],
  );
  const problem = codes.map((code) => parseDiagnosticCodes(code).problem).find(Boolean);
  const isRefused = /InvalidCode/.test(test.id);
  if (isRefused !== (problem !== undefined)) return fail(problem ?? 'an unknown code was taken');
  const errors = codes.flatMap((code) => parseDiagnosticCodes(code).codes);
  const config = (test.target?.at(-1)?.json ?? {}) as DeclarativeConfig;
  const found = findDiagnostics(config, '3.0', texts.includes('-E') ? { errors } : {});
  if (found.length === 0) return fail('nothing is said of the file');
  const isError = found.some(({ severity }) => severity === 'error');
  return isError === (texts.includes('-E') && !isRefused) ? pass : fail(found[0]?.message ?? '');
};

const plays: Readonly<Record<string, Play>> = {
  sync: playSync,
  dump: playDump,
  diff: playDiff,
  reset: playReset,
};

/** How a test is played: by what it is about and, where it does more than that, by its steps. */
export function playOf(feature: string, test: UpstreamCase): Play | undefined {
  const { steps = [] } = test;
  if (feature === 'sync' && steps.some((step) => step.startsWith('apply('))) return playApply;
  if (feature === 'sync' && steps.some((step) => step.startsWith('render('))) return playRender;
  if (feature === 'dump' && flagsOf(test, 'dump').texts.includes('--sanitize')) return playSanitize;
  return plays[feature];
}
