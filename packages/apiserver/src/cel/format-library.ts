import {
  CelFailure,
  type CelLibrary,
  CelObject,
  CelOptional,
  type CelValue,
  celTypes,
  dns1035LabelProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  member,
  overload,
  qualifiedNameProblems,
  ValueList,
} from '@waygate/text';
import { isFormat } from '../validation/formats.ts';

const { listOf, optionalOf, stringType, structType } = celTypes;
const formatType = structType('kubernetes.NamedFormat');

type Problems = (text: string) => string[];

/** A named format inside an expression. */
class CelFormat extends CelObject {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly problems: Problems;
  readonly #regexSize: number;

  constructor(regexSize: number, problems: Problems) {
    super();
    this.problems = problems;
    this.#regexSize = regexSize;
  }

  /** How long the regular expression is that Kubernetes checks it with. */
  override get regexSize(): number {
    return this.#regexSize;
  }

  equals(other: CelValue): boolean | CelFailure {
    return other instanceof CelFormat ? this === other : new CelFailure('no such overload');
  }
}

/** A prefix may end where a name could go on. */
const prefix =
  (problems: Problems): Problems =>
  (text) =>
    problems(text.replace(/-$/, 'a'));

const ofSchema =
  (name: string, why: string): Problems =>
  (text) =>
    isFormat(text, name) ? [] : [why];

const isUri: Problems = (text) =>
  text !== '' &&
  (text.startsWith('/') || /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text)) &&
  !/[\s\p{Cc}]/u.test(text)
    ? []
    : [`parse ${JSON.stringify(text)}: invalid URI for request`];

const formats: Readonly<Record<string, CelFormat>> = {
  dns1123Label: new CelFormat(30, dnsLabelProblems),
  dns1123Subdomain: new CelFormat(60, dnsSubdomainProblems),
  dns1035Label: new CelFormat(30, dns1035LabelProblems),
  qualifiedName: new CelFormat(60, qualifiedNameProblems),
  dns1123LabelPrefix: new CelFormat(30, prefix(dnsLabelProblems)),
  dns1123SubdomainPrefix: new CelFormat(60, prefix(dnsSubdomainProblems)),
  dns1035LabelPrefix: new CelFormat(30, prefix(dns1035LabelProblems)),
  labelValue: new CelFormat(40, labelValueProblems),
  uri: new CelFormat(1103, isUri),
  uuid: new CelFormat(70, ofSchema('uuid', 'does not match the UUID format')),
  byte: new CelFormat(84, ofSchema('byte', 'invalid base64')),
  date: new CelFormat(71, ofSchema('date', 'invalid date')),
  datetime: new CelFormat(71, ofSchema('date-time', 'invalid datetime')),
};

/** `format.dns1123Label().validate(text)` and `format.named(name)`, as Kubernetes has them. */
export const formatLibrary: CelLibrary = {
  functions: {
    ...Object.fromEntries(
      Object.entries(formats).map(([name, format]) => [
        `format.${name}`,
        [overload(`format.${name}`, [], formatType, () => format)],
      ]),
    ),
    'format.named': [
      overload('format-named', [stringType], optionalOf(formatType), (name) => {
        const found = Object.hasOwn(formats, name as string) ? formats[name as string] : undefined;
        return found === undefined ? CelOptional.none : new CelOptional(found);
      }),
    ],
    validate: [
      member(
        'format-validate',
        [formatType, stringType],
        optionalOf(listOf(stringType)),
        (format, text) => {
          const found = (format as CelFormat).problems(text as string);
          return found.length === 0 ? CelOptional.none : new CelOptional(new ValueList(found));
        },
      ),
    ],
  },
};
