/**
 * `${{ env "DECK_X" }}` in declarative files: values from the environment, so that secrets stay out
 * of them. Only names that start with `DECK_` are read, so that a file cannot look around.
 */
interface ExpandedText {
  readonly text: string;
  readonly problems: readonly string[];
  /** The values that were put in, so that output can leave them out. */
  readonly values: readonly string[];
}

const templates = /\$\{\{(.*?)\}\}/g;

const expression =
  /^\s*env\s+["'`]([A-Za-z0-9_]+)["'`]\s*(?:\|\s*(toBool|toInt|toFloat|indent\s+\d+)\s*)?$/;

function converted(value: string, conversion: string | undefined): string | undefined {
  switch (conversion) {
    case undefined:
      return value;
    case 'toBool':
      return /^(1|t|true)$/i.test(value)
        ? 'true'
        : /^(0|f|false)$/i.test(value)
          ? 'false'
          : undefined;
    case 'toInt':
      return /^[+-]?\d+$/.test(value) ? String(Number(value)) : undefined;
    case 'toFloat':
      return value.trim() !== '' && Number.isFinite(Number(value))
        ? String(Number(value))
        : undefined;
    default:
      return value.replaceAll('\n', `\n${' '.repeat(Number(conversion.split(/\s+/)[1]))}`);
  }
}

/**
 * Puts values of the environment into a text. A variable that is not set is a problem, unless
 * `isLenient`: then its name stands for it, which is enough to see whether a file is right.
 *
 * ```ts
 * expandEnvironment('host: ${{ env "DECK_HOST" }}', { DECK_HOST: 'shop' }).text; // 'host: shop'
 * ```
 */
export function expandEnvironment(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
  isLenient = false,
): ExpandedText {
  if (!text.includes('${{')) return { text, problems: [], values: [] };
  const problems: string[] = [];
  const values: string[] = [];
  const expandLine = (line: string): string =>
    line.replace(templates, (whole, inner: string) => {
      const parts = expression.exec(inner.replaceAll('\\"', '"'));
      if (parts === null) {
        problems.push(`cannot understand ${whole}: only \${{ env "DECK_NAME" }} is known`);
        return whole;
      }
      const [, name = '', conversion] = parts;
      if (!name.startsWith('DECK_')) {
        problems.push(
          `environment variables in the state file must be prefixed with 'DECK_': '${name}'`,
        );
        return whole;
      }
      const value = environment[name];
      if (value === undefined) {
        if (isLenient) return name;
        problems.push(`environment variable '${name}' present in state file but not set`);
        return whole;
      }
      const result = converted(value, conversion);
      if (result === undefined) {
        problems.push(`environment variable '${name}' cannot be converted by ${conversion}`);
        return whole;
      }
      if (value !== '') values.push(value);
      return result;
    });
  const lines = text.split('\n').map((line) => (/^\s*#/.test(line) ? line : expandLine(line)));
  return { text: lines.join('\n'), problems, values };
}
