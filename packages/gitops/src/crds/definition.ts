import {
  ageColumn,
  type CustomResourceDefinition,
  customResourceDefinition,
  type PrinterColumn,
  type StructuralSchema,
} from '@waygate/schema';

export type { CustomResourceDefinition };

export interface DefinitionParts {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: string[];
  readonly category: string;
  readonly spec: StructuralSchema;
  readonly status: StructuralSchema;
  readonly columns: readonly PrinterColumn[];
  /** Versions of the API before this one that are still taken, newest first. */
  readonly older?: readonly OlderVersion[];
}

/** An earlier version of a kind. Its objects are the same but for fields that it had besides. */
export interface OlderVersion {
  readonly version: string;
  /** Fields of the spec that are taken and mean nothing any more. */
  readonly spec?: Readonly<Record<string, StructuralSchema>>;
}

export const age: PrinterColumn = ageColumn;

export const ready: readonly PrinterColumn[] = [
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Status', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].message' },
];

/**
 * The API that people write, `v1`; substitution leaves the definition itself alone. Older versions
 * are taken as they are, since nothing was renamed: no conversion is needed but that of the version.
 */
export function definition(parts: DefinitionParts): CustomResourceDefinition {
  const { group, kind, plural, shortNames, category, spec, status, columns, older = [] } = parts;
  const made = (version: string, properties: Record<string, StructuralSchema>) =>
    customResourceDefinition({
      group,
      version,
      kind,
      plural,
      shortNames,
      categories: ['all', 'fluxcd', category],
      annotations: { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' },
      properties,
      columns,
    });
  const current = made('v1', { spec, status });
  const others = older.map(({ version, spec: more = {} }) => {
    const properties = { ...spec.properties, ...more };
    const [only] = made(version, {
      spec: { ...spec, properties },
      status: relaxed(status),
    }).spec.versions;
    return {
      ...(only as NonNullable<typeof only>),
      deprecated: true,
      deprecationWarning: `${version} ${kind} is deprecated, upgrade to v1`,
      storage: false,
    };
  });
  return { ...current, spec: { ...current.spec, versions: [...current.spec.versions, ...others] } };
}

/** Artifacts of earlier controllers had a checksum, and no digest. */
function relaxed(status: StructuralSchema): StructuralSchema {
  const { artifact } = status.properties ?? {};
  if (artifact === undefined) return status;
  const older: StructuralSchema = {
    ...artifact,
    properties: { ...artifact.properties, checksum: { type: 'string' } },
    required: ['path', 'url'],
  };
  return { ...status, properties: { ...status.properties, artifact: older } };
}
