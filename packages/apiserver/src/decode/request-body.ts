import { checkPatchDepth, encodeJson, isObject, parseYaml, TextError } from '@waygate/text';
import { badRequest, unsupportedMediaType } from '../status/api-error.ts';
import { jsonTypeName } from './go-text.ts';
import { describeSyntax } from './json-syntax.ts';
import { JsonProblem, maxJsonDepth, parseJson, scanKeys, withGoIntegers } from './json-text.ts';
import { typeMetaProblem } from './type-meta.ts';

/** A decoded body, before anything is known of its type. */
export interface RequestBody {
  readonly value: Record<string, unknown>;
  /** Keys that are set twice, in the words of the strict decoder. */
  readonly duplicates: readonly string[];
  /** The document, to put complaints into its order. */
  readonly text: string;
  readonly isYaml: boolean;
  /** It was read before and is what a strategic merge or an apply made of it: numbers that are too large go round then. */
  readonly isRestored?: boolean;
}

const accepted = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** Decodes the body of a write of one object; `kind` is only for messages. */
export function decodeBody(text: string, contentType: string, kind: string): RequestBody {
  if (contentType === 'application/json' || contentType === '' || contentType === '*/*') {
    return decodeJsonBody(text, kind);
  }
  if (contentType === 'application/yaml') return decodeYamlBody(text, kind);
  throw unsupportedMediaType(accepted);
}

function decodeJsonBody(text: string, kind: string): RequestBody {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    throw unrecognized(kind, error.message, text);
  }
  if (!isObject(value)) throw unrecognized(kind, noObject(value), text);
  checkTypeMeta(value, kind, text);
  const duplicates = scanKeys(text).duplicates.map((path) => `duplicate field "${path}"`);
  return { value, duplicates, text, isYaml: false };
}

/** What is said of a document that is no object, before all else is looked at. */
export function noObject(value: unknown): string {
  const head =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  return `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${head}`;
}

function checkTypeMeta(value: Readonly<Record<string, unknown>>, kind: string, text: string): void {
  const problem = typeMetaProblem(value);
  if (problem !== undefined) throw unrecognized(kind, problem, text);
}

/** Of a long text no more than its beginning is shown, of one that is no object the bytes. */
function summaryOf(text: string): string {
  if (text === '') return '<empty>';
  const bytes = Buffer.from(text);
  const shown = bytes.subarray(0, 30).toString(text.startsWith('{') ? 'utf8' : 'hex');
  return bytes.length > 30 ? `${shown} ...` : shown;
}

function unrecognized(kind: string, problem: string, text: string) {
  const shown = summaryOf(text);
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${problem} (${shown})`,
  );
}

function decodeYamlBody(text: string, kind: string): RequestBody {
  let value: unknown;
  let duplicates: string[] = [];
  try {
    value = withGoIntegers(parseYaml(text));
    checkPatchDepth(value, maxJsonDepth);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    const repeated = repeatedYamlKey(error.message);
    if (repeated === undefined) throw unrecognized(kind, error.message, text);
    duplicates = [
      `yaml: unmarshal errors:\n  line ${error.line ?? 0}: key ${JSON.stringify(repeated)} already set in map`,
    ];
    value = withGoIntegers(parseYaml(text, { duplicateKeys: 'last' }));
  }
  if (!isObject(value)) throw unrecognized(kind, describeSyntax(text), text);
  checkTypeMeta(value, kind, encodeJson(value));
  return { value, duplicates, text, isYaml: true };
}

/** The key of a complaint about one that is set twice. */
export function repeatedYamlKey(message: string): string | undefined {
  return /key "((?:[^"\\]|\\.)*)"/.exec(message)?.[1];
}

/** Puts complaints of both kinds into the order of the document. */
export function orderComplaints(
  body: RequestBody,
  unknownFields: readonly string[],
): readonly string[] {
  const unknown = unknownFields.map((path) => `unknown field "${path}"`);
  if (body.duplicates.length === 0 || body.isYaml) return [...body.duplicates, ...unknown];
  const order = scanKeys(body.text, true).order;
  const place = (complaint: string, prefix: string) => {
    const path = complaint.slice(complaint.indexOf('"') + 1, -1);
    return order.indexOf(`${prefix}${path}`);
  };
  return [
    ...body.duplicates.map((text) => ({ text, at: place(text, '=') })),
    ...unknown.map((text) => ({ text, at: place(text, '') })),
  ]
    .sort((a, b) => a.at - b.at)
    .map((each) => each.text);
}
