import { describe, expect, test } from 'vitest';
import { lineOfField, lineOfObject } from './field-line.ts';

const text = `# Two of them
kind: Service
metadata: {name: web}
---
# The second

apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations:
    example.org/a.b: c
    example.org/a: {b: d}
spec:
  containers:
  - name: one
    image: x
  - name: two
    image: y
--- # nothing
broken: [
---
`;
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } };

describe('lines of what was rendered', () => {
  test.each([
    ['Service', 'web', 1],
    ['Deployment', 'web', 6],
    ['Deployment', 'other', undefined],
    ['Ingress', 'web', undefined],
  ])('%s %s begins in %j', (kind, name, line) => {
    expect(lineOfObject(text, { apiVersion: 'v1', kind, metadata: { name } })).toBe(line);
  });

  test.each([
    ['spec', 13],
    ['spec.containers', 14],
    ['spec.containers[1].image', 18],
    ['spec.containers[name=two].image', 18],
    ['spec.containers[name=one]', 15],
    ['metadata.annotations.example.org/a.b', 11],
    ['metadata.annotations.example.org/a.b.c', undefined],
    ['spec.containers[2]', undefined],
    ['spec.containers[name=three].image', undefined],
    ['spec.replicas', undefined],
    ['spec.containers.image', undefined],
    ['', undefined],
  ])('%s is in %j', (field, line) => {
    expect(lineOfField(text, deployment, field)).toBe(line);
  });
});
