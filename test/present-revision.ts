import type { AssayClient } from '../src/contract/client.ts';

/** A client whose updates need not say which revision they replace. */
export type LenientClient = { [Part in keyof AssayClient]: Lenient<AssayClient[Part]> };

type Lenient<Part> = Part extends {
  update: (input: infer Input extends { revision: number }, ...rest: infer _Rest) => infer Output;
}
  ? Omit<Part, 'update'> & {
      update(input: Omit<Input, 'revision'> & { revision?: number | undefined }): Output;
    }
  : Part;

interface Updating {
  get(input: object): Promise<{ revision: number }>;
  update(input: object): Promise<unknown>;
}

/** The client, with updates that read first what they replace where they name no revision, as the command line does it with
 *  files. */
export function withPresentRevision(client: AssayClient): LenientClient {
  return new Proxy(client, {
    get(parts, name) {
      const part = Reflect.get(parts, name) as object;
      // the operations themselves are proxies: what they have cannot be asked
      return noun.has(String(name)) ? lenient(part as Updating) : part;
    },
  }) as unknown as LenientClient;
}

const noun = new Set([
  'environments',
  'prompts',
  'skills',
  'mcpServers',
  'agents',
  'testCases',
  'testSuites',
  'settings',
]);

function lenient(part: Updating): Updating {
  return new Proxy(part, {
    get(operations, name) {
      if (name !== 'update') return Reflect.get(operations, name);
      return async (input: { id?: string; revision?: number }) => {
        if (input.revision !== undefined) return operations.update(input);
        const { revision } = await operations.get(input.id === undefined ? {} : { id: input.id });
        return operations.update({ ...input, revision });
      };
    },
  });
}
