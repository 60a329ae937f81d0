import { z } from 'zod';
import { canonicalJson } from '../core/json.ts';

/** The value without the fields that its schema would fill in again. */
export function leaveOutDefaults(schema: z.core.$ZodType, value: unknown): unknown {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodDiscriminatedUnion) {
    const option = inner.options.find((each) => z.safeParse(each, value).success);
    return option === undefined ? value : leaveOutDefaults(option, value);
  }
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => leaveOutDefaults(inner.element, item));
  }
  if (typeof value !== 'object' || value === null) return value;
  if (inner instanceof z.ZodRecord) {
    return mapFields(value, (_, field) => leaveOutDefaults(inner.valueType, field));
  }
  if (!(inner instanceof z.ZodObject)) return value;
  return mapFields(value, (key, field) => {
    const schemaOfField = inner.shape[key];
    if (schemaOfField === undefined) return field;
    const assumed = z.safeParse(schemaOfField, undefined);
    return assumed.success && canonicalJson(assumed.data) === canonicalJson(field)
      ? undefined
      : leaveOutDefaults(schemaOfField, field);
  });
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional
    ? unwrapped(schema.unwrap())
    : schema;
}

/** Fields that become undefined are left out. */
function mapFields(value: object, change: (key: string, field: unknown) => unknown): object {
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, field]) => [key, change(key, field)] as const)
      .filter(([, field]) => field !== undefined),
  );
}
