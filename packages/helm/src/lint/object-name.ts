const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const serviceLabel =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/** Why Kubernetes would not take the name for an object of this kind; undefined when it would. */
export function describeBadName(kind: string, name: string): string | undefined {
  const problems = nameProblems(kind.toLowerCase(), name).map(
    (problem) => `metadata.name: Invalid value: ${JSON.stringify(name)}: ${problem}`,
  );
  if (problems.length === 0) return undefined;
  const shown = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
  return `object name does not conform to Kubernetes naming requirements: ${JSON.stringify(name)}: ${shown}`;
}

function nameProblems(kind: string, name: string): string[] {
  switch (kind) {
    case 'service':
      return limited(name, 63, /^[a-z]([-a-z0-9]*[a-z0-9])?$/, serviceLabel);
    case 'namespace':
      return limited(name, 63, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, label);
    case 'certificatesigningrequest':
      return [];
    case 'role':
    case 'clusterrole':
    case 'rolebinding':
    case 'clusterrolebinding':
      return pathProblems(name);
    default:
      return limited(
        name,
        253,
        /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
        subdomain,
      );
  }
}

function limited(name: string, most: number, pattern: RegExp, words: string): string[] {
  const problems: string[] = [];
  if (name.length > most) problems.push(`must be no more than ${most} characters`);
  if (!pattern.test(name)) problems.push(words);
  return problems;
}

function pathProblems(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%']
    .filter((part) => name.includes(part))
    .map((part) => `may not contain '${part}'`);
}
