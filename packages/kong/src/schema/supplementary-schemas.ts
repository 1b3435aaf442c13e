import type { WireField, WireSchema } from './schema-catalog.ts';

const id: Readonly<Record<string, WireField>> = { id: { type: 'string', uuid: true, auto: true } };
const createdAt: Readonly<Record<string, WireField>> = {
  created_at: { type: 'integer', timestamp: true, auto: true },
};
const updatedAt: Readonly<Record<string, WireField>> = {
  updated_at: { type: 'integer', timestamp: true, auto: true },
};
const tags: Readonly<Record<string, WireField>> = {
  tags: { type: 'set', elements: { type: 'string', required: true } },
};

/** Entities of Kong Enterprise, which the open-source edition has no schema for. */
export const supplementarySchemas: Readonly<Record<string, WireSchema>> = {
  consumer_groups: {
    fields: [
      id,
      createdAt,
      updatedAt,
      { name: { type: 'string', required: true, unique: true } },
      tags,
    ],
  },
  consumer_group_consumers: {
    fields: [
      {
        consumer_group: {
          type: 'foreign',
          reference: 'consumer_groups',
          required: true,
          on_delete: 'cascade',
        },
      },
      {
        consumer: { type: 'foreign', reference: 'consumers', required: true, on_delete: 'cascade' },
      },
    ],
  },
  mtls_auth_credentials: {
    fields: [
      id,
      createdAt,
      {
        consumer: { type: 'foreign', reference: 'consumers', required: true, on_delete: 'cascade' },
      },
      { subject_name: { type: 'string', required: true } },
      { ca_certificate: { type: 'foreign', reference: 'ca_certificates' } },
      tags,
    ],
  },
};
