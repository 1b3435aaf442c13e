const dnsLabelText = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const dnsSubdomainText = `${dnsLabelText}(\\.${dnsLabelText})*`;
const dns1035Text = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualifiedNameText = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValueText = `(${qualifiedNameText})?`;
const configKeyText = '[-._a-zA-Z0-9]+';

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const dns1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const qualifiedName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const configKey = /^[-._a-zA-Z0-9]+$/;

function maxCharacters(max: number): string {
  return `must be no more than ${max} characters`;
}

/** `message` with its examples and the expression, in the API's words. */
function expressionProblem(message: string, expression: string, ...examples: string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${expression}')`;
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (e.g. ${shown}regex used for validation is '${expression}')`;
}

/** Each function returns what is wrong with a text; nothing when it is fine. */
export function dnsSubdomainProblems(name: string): string[] {
  const problems: string[] = [];
  if (name.length > 253) problems.push(maxCharacters(253));
  if (!dnsSubdomain.test(name)) {
    problems.push(
      expressionProblem(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        dnsSubdomainText,
        'example.com',
      ),
    );
  }
  return problems;
}

export function dnsLabelProblems(name: string): string[] {
  const problems: string[] = [];
  if (name.length > 63) problems.push(maxCharacters(63));
  // Between a label and a domain there are only dots.
  if (dnsSubdomain.test(name) && name.includes('.')) return [...problems, 'must not contain dots'];
  if (!dnsLabel.test(name)) {
    problems.push(
      expressionProblem(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
        dnsLabelText,
        'my-name',
        '123-abc',
      ),
    );
  }
  return problems;
}

export function dns1035LabelProblems(name: string): string[] {
  const problems: string[] = [];
  if (name.length > 63) problems.push(maxCharacters(63));
  if (!dns1035.test(name)) {
    problems.push(
      expressionProblem(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        dns1035Text,
        'my-name',
        'abc-123',
      ),
    );
  }
  return problems;
}

/** Names that only have to be one segment of a path, such as those of roles. */
export function pathSegmentProblems(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  const problems: string[] = [];
  for (const illegal of ['/', '%']) {
    if (name.includes(illegal)) problems.push(`may not contain '${illegal}'`);
  }
  return problems;
}

export function qualifiedNameProblems(name: string): string[] {
  const parts = name.split('/');
  const problems: string[] = [];
  let part = name;
  if (parts.length === 2) {
    const [prefix = '', rest = ''] = parts;
    part = rest;
    if (prefix === '') problems.push('prefix part must be non-empty');
    else problems.push(...dnsSubdomainProblems(prefix).map((each) => `prefix part ${each}`));
  } else if (parts.length > 2) {
    return [
      `a valid label key ${expressionProblem(
        "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        qualifiedNameText,
        'MyName',
        'my.name',
        '123-abc',
      )} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  if (part === '') problems.push('name part must be non-empty');
  else if (part.length > 63) problems.push(`name part ${maxCharacters(63)}`);
  if (!qualifiedName.test(part)) {
    problems.push(
      `name part ${expressionProblem(
        "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        qualifiedNameText,
        'MyName',
        'my.name',
        '123-abc',
      )}`,
    );
  }
  return problems;
}

export function labelValueProblems(value: string): string[] {
  const problems: string[] = [];
  if (value.length > 63) problems.push(maxCharacters(63));
  if (!labelValue.test(value)) {
    problems.push(
      expressionProblem(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        labelValueText,
        'MyValue',
        'my_value',
        '12345',
      ),
    );
  }
  return problems;
}

export function configKeyProblems(key: string): string[] {
  const problems: string[] = [];
  if (key.length > 253) problems.push(maxCharacters(253));
  if (!configKey.test(key)) {
    problems.push(
      expressionProblem(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        configKeyText,
        'key.name',
        'KEY_NAME',
        'key-name',
      ),
    );
    return problems;
  }
  if (key === '.') problems.push("must not be '.'");
  else if (key === '..') problems.push("must not be '..'");
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}

const portName = /^[-a-z0-9]+$/;

/** The names of ports, as in `targetPort: http`. */
export function portNameProblems(port: string): string[] {
  const problems: string[] = [];
  if (port.length > 15) problems.push(maxCharacters(15));
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

export function portNumberProblems(port: number): string[] {
  return port >= 1 && port <= 65535 ? [] : ['must be between 1 and 65535, inclusive'];
}

const wildcardSubdomain = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export function wildcardSubdomainProblems(name: string): string[] {
  const problems: string[] = [];
  if (name.length > 253) problems.push(maxCharacters(253));
  if (!wildcardSubdomain.test(name)) {
    problems.push(
      expressionProblem(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
        `\\*\\.${dnsSubdomainText}`,
        '*.example.com',
      ),
    );
  }
  return problems;
}

const headerName = /^[-A-Za-z0-9]+$/;

export function httpHeaderProblems(name: string): string[] {
  if (headerName.test(name)) return [];
  return [
    expressionProblem(
      "a valid HTTP header must consist of alphanumeric characters or '-'",
      '[-A-Za-z0-9]+',
      'X-Header-Name',
    ),
  ];
}
