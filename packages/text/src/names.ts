const dnsLabelText = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const dnsSubdomainText = `${dnsLabelText}(\\.${dnsLabelText})*`;

/** What is wrong with a text, each in the API's words; nothing when it is fine. */
type TextProblems = (text: string) => string[];

interface TextForm {
  readonly maxLength?: number;
  /** What the API counts in; labels are the ones that it counts in bytes. */
  readonly unit?: 'characters' | 'bytes';
  /** As the API prints it: the whole text has to match. */
  readonly expression: string;
  readonly message: string;
  readonly examples: readonly string[];
}

/** The rule of a text that has one form. */
function form({
  maxLength = Infinity,
  unit,
  expression,
  message,
  examples,
}: TextForm): TextProblems {
  const pattern = new RegExp(`^${expression}$`);
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  const problem = `${message} (e.g. ${shown}regex used for validation is '${expression}')`;
  return (text) => [...tooLong(text, maxLength, unit), ...(pattern.test(text) ? [] : [problem])];
}

function tooLong(text: string, max: number, unit: TextForm['unit'] = 'characters'): string[] {
  const length = unit === 'bytes' ? Buffer.byteLength(text) : text.length;
  return length > max ? [`must be no more than ${max} ${unit}`] : [];
}

const dnsSubdomainForm: TextForm = {
  maxLength: 253,
  expression: dnsSubdomainText,
  message:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  examples: ['example.com'],
};

/** Most objects' names. */
export const dnsSubdomainProblems = form(dnsSubdomainForm);

const searchLabelText = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';

/**
 * What is wrong with a domain that is searched for names; it may begin with an underscore, as those of services do.
 *
 * ```ts
 * dnsSearchProblems('_tcp.shop.test'); // []
 * ```
 */
export const dnsSearchProblems = form({
  ...dnsSubdomainForm,
  expression: `${searchLabelText}(\\.${searchLabelText})*`,
  message: dnsSubdomainForm.message.replace("'-' or", "'_', '-' or"),
});

const keyPrefixProblems = form({ ...dnsSubdomainForm, unit: 'bytes' });

const dnsSubdomain = new RegExp(`^${dnsSubdomainText}$`);
const dotlessLabelProblems = form({
  maxLength: 63,
  expression: dnsLabelText,
  message:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  examples: ['my-name', '123-abc'],
});

/**
 * What is wrong with a name that is one label of DNS, such as that of a Namespace.
 *
 * ```ts
 * dnsLabelProblems('web'); // []
 * dnsLabelProblems('web.shop'); // ['must not contain dots']
 * ```
 */
export function dnsLabelProblems(name: string): string[] {
  if (!dnsSubdomain.test(name) || !name.includes('.')) return dotlessLabelProblems(name);
  // Between a label and a domain there are only dots.
  return [...tooLong(name, 63), 'must not contain dots'];
}

export const dns1035LabelProblems = form({
  maxLength: 63,
  expression: '[a-z]([-a-z0-9]*[a-z0-9])?',
  message:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  examples: ['my-name', 'abc-123'],
});

/**
 * Names that only have to be one segment of a path, such as those of roles.
 *
 * ```ts
 * pathSegmentProblems('system:admin'); // []
 * pathSegmentProblems('a/b'); // ["may not contain '/'"]
 * ```
 */
export function pathSegmentProblems(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  const problems: string[] = [];
  for (const illegal of ['/', '%']) {
    if (name.includes(illegal)) problems.push(`may not contain '${illegal}'`);
  }
  return problems;
}

const qualifiedNameText = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const namePartProblems = form({
  expression: qualifiedNameText,
  message:
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ['MyName', 'my.name', '123-abc'],
});

/**
 * The keys of labels and annotations, and what is written like them: `example.com/team`.
 *
 * ```ts
 * qualifiedNameProblems('example.com/team'); // []
 * qualifiedNameProblems('a/b/c').length > 0; // true
 * ```
 */
export function qualifiedNameProblems(name: string): string[] {
  const parts = name.split('/');
  if (parts.length > 2) {
    return namePartProblems('').map(
      (problem) =>
        `a valid label key ${problem} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    );
  }
  const [prefix, part = name] = parts.length === 2 ? parts : [undefined, name];
  return [
    ...(prefix === undefined
      ? []
      : prefix === ''
        ? ['prefix part must be non-empty']
        : keyPrefixProblems(prefix).map((each) => `prefix part ${each}`)),
    ...(part === '' ? ['name part must be non-empty'] : []),
    ...[...tooLong(part, 63, 'bytes'), ...namePartProblems(part)].map(
      (each) => `name part ${each}`,
    ),
  ];
}

/** The values of labels. */
export const labelValueProblems = form({
  maxLength: 63,
  unit: 'bytes',
  expression: `(${qualifiedNameText})?`,
  message:
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ['MyValue', 'my_value', '12345'],
});

const configKeyFormProblems = form({
  maxLength: 253,
  expression: '[-._a-zA-Z0-9]+',
  message: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  examples: ['key.name', 'KEY_NAME', 'key-name'],
});

/**
 * What is wrong with a key of a ConfigMap or Secret.
 *
 * ```ts
 * configKeyProblems('app.yaml'); // []
 * configKeyProblems('..'); // ["must not be '..'"]
 * ```
 */
export function configKeyProblems(key: string): string[] {
  const problems = configKeyFormProblems(key);
  if (key === '.' || key === '..') problems.push(`must not be '${key}'`);
  else if (/^\.\.[-._a-zA-Z0-9]*$/.test(key)) problems.push("must not start with '..'");
  return problems;
}

const portName = /^[-a-z0-9]+$/;

/**
 * The names of ports, as in `targetPort: http`.
 *
 * ```ts
 * portNameProblems('http'); // []
 * portNameProblems('80'); // ['must contain at least one letter (a-z)']
 * ```
 */
export function portNameProblems(port: string): string[] {
  const problems = tooLong(port, 15);
  if (!portName.test(port)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(port)) problems.push('must contain at least one letter (a-z)');
  if (port.includes('--')) problems.push('must not contain consecutive hyphens');
  if (port.startsWith('-') || port.endsWith('-')) {
    problems.push('must not begin or end with a hyphen');
  }
  return problems;
}

/**
 * What is wrong with the number of a port.
 *
 * ```ts
 * portNumberProblems(443); // []
 * portNumberProblems(0); // ['must be between 1 and 65535, inclusive']
 * ```
 */
export function portNumberProblems(port: number): string[] {
  return port >= 1 && port <= 65535 ? [] : ['must be between 1 and 65535, inclusive'];
}

export const wildcardSubdomainProblems = form({
  maxLength: 253,
  expression: `\\*\\.${dnsSubdomainText}`,
  message:
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  examples: ['*.example.com'],
});

export const httpHeaderProblems = form({
  expression: '[-A-Za-z0-9]+',
  message: "a valid HTTP header must consist of alphanumeric characters or '-'",
  examples: ['X-Header-Name'],
});
