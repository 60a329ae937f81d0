import { implement } from '@orpc/server';
import { applyContract } from '../../contract/apply.ts';
import { type Call, guarded } from '../call/operation.ts';

const files = implement(applyContract).$context<Call>().use(guarded);

export const router = files.router({
  apply: files.apply.handler(async ({ context, input }) =>
    (await import('./apply.ts')).apply(context, input),
  ),
  read: files.read.handler(async ({ context, input }) =>
    (await import('./read-object.ts')).readObject(context, input),
  ),
  export: files.export.handler(async ({ context, input }) =>
    (await import('./export.ts')).exportObjects(context, input),
  ),
});
