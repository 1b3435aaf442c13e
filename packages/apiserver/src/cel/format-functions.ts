import { type Environment, Optional } from '@marcbachmann/cel-js';
import { isFormat } from '../crd/formats.ts';
import {
  dns1035LabelProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from '../validation/names.ts';

/** A named format inside an expression. */
class Format {
  readonly problems: (text: string) => string[];

  constructor(problems: (text: string) => string[] = () => []) {
    this.problems = problems;
  }
}

/** The name that formats are called by. */
class Formats {}

/** What the name `format` stands for when an expression is evaluated. */
export const format = new Formats();

/** A prefix may end where a name could go on. */
const prefix = (problems: (text: string) => string[]) => (text: string) =>
  problems(text.replace(/-$/, 'a'));

const ofSchema = (name: string, why: string) => (text: string) =>
  isFormat(text, name) ? [] : [why];

const formats: Readonly<Record<string, (text: string) => string[]>> = {
  dns1123Label: dnsLabelProblems,
  dns1123Subdomain: dnsSubdomainProblems,
  dns1035Label: dns1035LabelProblems,
  dns1123LabelPrefix: prefix(dnsLabelProblems),
  dns1123SubdomainPrefix: prefix(dnsSubdomainProblems),
  dns1035LabelPrefix: prefix(dns1035LabelProblems),
  qualifiedName: qualifiedNameProblems,
  labelValue: labelValueProblems,
  uri: (text) => (URL.canParse(text, 'http://x') && text !== '' ? [] : ['invalid URI']),
  uuid: ofSchema('uuid', 'does not match the UUID format'),
  byte: ofSchema('byte', 'invalid base64'),
  date: ofSchema('date', 'invalid date'),
  datetime: ofSchema('date-time', 'invalid datetime'),
};

/** `format.dns1123Label().validate(text)` and `format.named(name)`, as Kubernetes has them. */
export function registerFormatFunctions(environment: Environment): void {
  environment.registerType('Format', Format);
  environment.registerType('Formats', Formats);
  environment.registerVariable('format', 'Formats');
  const known = new Map(Object.entries(formats).map(([name, rule]) => [name, new Format(rule)]));
  for (const [name, one] of known) {
    environment.registerFunction(`Formats.${name}(): Format`, () => one);
  }
  environment.registerFunction(
    'Formats.named(string): optional<Format>',
    (_formats: Formats, name: string) => Optional.of(known.get(name)),
  );
  environment.registerFunction(
    'Format.validate(string): optional<list<string>>',
    ({ problems }: Format, text: string) => {
      const found = problems(text);
      return found.length === 0 ? Optional.none() : Optional.of(found);
    },
  );
}
