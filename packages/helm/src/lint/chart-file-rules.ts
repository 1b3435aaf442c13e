import { parseLegacyYamlNode, type YamlNode } from '@waygate/text';
import { unknownField } from '../chart/go-shape.ts';
import type { ChartMetadata } from '../chart/metadata.ts';
import { metadataShape, readMetadata } from '../chart/read-metadata.ts';
import type { HelmMajor } from '../engine/values-type.ts';
import { readYaml } from '../formats/yaml-read.ts';
import { quoteString } from '../go/quote.ts';
import { GoMap, typeOf } from '../go/value.ts';
import { isInRange, isVersion } from '../version/version.ts';
import type { LintMessages } from './lint-messages.ts';
import { isEmail, isRequestUrl, isUrl } from './web-address.ts';

const name = 'Chart.yaml';

/** Checks `Chart.yaml` by itself. */
export function checkChartFile(text: string, helm: HelmMajor, messages: LintMessages): void {
  const metadata: Partial<ChartMetadata> = {};
  try {
    readMetadata(text, metadata, helm);
  } catch (error) {
    messages.check('ERROR', name, `unable to parse YAML\n\t${(error as Error).message}`);
    return;
  }
  if (helm === 4) messages.check('WARNING', name, strictProblem(text));
  const problem = (found: string | undefined): void => {
    messages.check('ERROR', name, found);
  };
  problem(nameProblem(metadata.name));
  problem(apiVersionProblem(metadata.apiVersion));
  problem(typeProblem(text, 'version'));
  problem(versionProblem(metadata.version ?? ''));
  problem(typeProblem(text, 'appVersion'));
  problem(maintainerProblem(metadata.maintainers));
  problem(sourceProblem(metadata.sources));
  messages.check('INFO', name, metadata.icon ? undefined : 'icon is recommended');
  problem(
    metadata.icon && !isRequestUrl(metadata.icon)
      ? `invalid icon URL '${metadata.icon}'`
      : undefined,
  );
  problem(oldFieldProblem(metadata));
  if (helm === 4) {
    const version = metadata.version ?? '';
    const isStrict =
      /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)([-+]|$)/.test(version) && isVersion(version);
    messages.check(
      'WARNING',
      name,
      isStrict ? undefined : `version '${version}' is not a valid SemVerV2`,
    );
  }
}

/** Helm 4 warns of what it does not know, and of what is there twice. */
function strictProblem(text: string): string | undefined {
  const why = repeatedKeys(text) ?? unknownProblem(text);
  return why && `failed to strictly parse chart metadata file\n\t${why}`;
}

function unknownProblem(text: string): string | undefined {
  const unknown = unknownField(readYaml(text), metadataShape[4]);
  if (unknown === undefined) return undefined;
  return `error unmarshaling JSON: while decoding JSON: json: unknown field ${quoteString(unknown)}`;
}

function repeatedKeys(text: string): string | undefined {
  const found: string[] = [];
  const look = (node: YamlNode): void => {
    const { kind, content } = node;
    if (kind === 'sequence') for (const item of content) look(item);
    if (kind !== 'map') return;
    const keys = new Set<string>();
    for (let at = 0; at < content.length; at += 2) {
      const [key, value] = [content[at]!, content[at + 1]!];
      look(value);
      if (keys.has(key.value)) {
        found.push(`\n  line ${value.line + 1}: key ${quoteString(key.value)} already set in map`);
      }
      if (key.kind === 'scalar') keys.add(key.value);
    }
  };
  const root = parseLegacyYamlNode(text);
  if (root !== undefined) look(root);
  if (found.length === 0) return undefined;
  return `error converting YAML to JSON: yaml: unmarshal errors:${found.join('')}`;
}

function nameProblem(value: string | undefined): string | undefined {
  if (!value) return 'name is required';
  return value.includes('/') ? `chart name ${JSON.stringify(value)} is invalid` : undefined;
}

function apiVersionProblem(value: string | undefined): string | undefined {
  if (!value) return 'apiVersion is required. The value must be either "v1" or "v2"';
  if (value === 'v1' || value === 'v2') return undefined;
  return `apiVersion '${value}' is not valid. The value must be either "v1" or "v2"`;
}

/** A version without quotes is a number to others who read the file. */
function typeProblem(text: string, key: string): string | undefined {
  const data = readYaml(text);
  const value = data instanceof GoMap ? data.get(key) : undefined;
  if (value === undefined || typeof value === 'string') return undefined;
  const type = value === null ? '<nil>' : typeOf(value).name;
  return `${key} should be of type string but it's of type ${type}`;
}

function versionProblem(version: string): string | undefined {
  if (version === '') return 'version is required';
  if (!isVersion(version)) return `version '${version}' is not a valid SemVer`;
  if (isInRange(version, '>0.0.0-0')) return undefined;
  return `version ${JSON.stringify(version)} is less than or equal to "0.0.0-0"`;
}

function maintainerProblem(maintainers: ChartMetadata['maintainers']): string | undefined {
  for (const maintainer of maintainers ?? []) {
    if (maintainer === null) return 'a maintainer entry is empty';
    const { name: who, email, url } = maintainer;
    if (!who) return 'each maintainer requires a name';
    if (email && !isEmail(email)) return `invalid email '${email}' for maintainer '${who}'`;
    if (url && !isUrl(url)) return `invalid url '${url}' for maintainer '${who}'`;
  }
  return undefined;
}

function sourceProblem(sources: ChartMetadata['sources']): string | undefined {
  const bad = sources?.find((source) => !isRequestUrl(source));
  return bad === undefined ? undefined : `invalid source URL '${bad}'`;
}

function oldFieldProblem({
  type,
  dependencies,
  apiVersion = '',
}: Partial<ChartMetadata>): string | undefined {
  if (apiVersion === 'v2') return undefined;
  if (type) {
    return `chart type is not valid in apiVersion '${apiVersion}'. It is valid in apiVersion 'v2'`;
  }
  if (dependencies === undefined || dependencies.length === 0) return undefined;
  return `dependencies are not valid in the Chart file with apiVersion '${apiVersion}'. They are valid in apiVersion 'v2'`;
}
