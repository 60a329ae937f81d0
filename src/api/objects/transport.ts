import type { McpServerDocument, SecretInput } from '../../core/documents/mcp-server.ts';
import { secretDestination } from '../../core/documents/secret-destination.ts';
import { variablesIn } from '../../core/documents/variables.ts';
import type { SealedTransport } from '../../core/frozen.ts';
import type { Secrets } from '../../core/ports.ts';
import type { SealedSecret } from '../../core/sealed-secret.ts';
import { fieldPath } from '../../core/text/invalid-input.ts';
import type { StoredServer } from '../../store/mcp-server.ts';
import type { Submitted } from './submitted.ts';

/** A transport as it is to be stored. */
export interface PlannedTransport {
  transport: SealedTransport;
  /** How a file writes each secret: `env.TOKEN`, `headers.Authorization`. */
  templates: Record<string, string>;
}

/** Seals the secrets of a transport. One that is not given keeps the stored value, unless it would go to another place
 *  then; one that equals the stored value keeps the stored seal, so that nothing changes. */
export function planTransport(
  { document, problem }: Submitted<McpServerDocument>,
  stored: StoredServer | undefined,
  secrets: Secrets,
): PlannedTransport {
  const { transport } = document;
  const templates: Record<string, string> = {};
  const kept = storedSecrets(stored?.transport);
  const moved = stored === undefined ? null : newDestination(document, stored);

  const sealAll = (group: 'env' | 'headers', inputs: Record<string, SecretInput>) =>
    Object.fromEntries(
      Object.entries(inputs).map(([name, input]) => {
        const place = `${group}.${name}`;
        const template = writtenTemplate(document.name, name, input);
        templates[place] = template;
        return [name, sealed(place, fieldPath(['transport', group, name]), template, givenValue(input))];
      }),
    );

  function sealed(place: string, field: string, template: string, value: string | undefined): SealedSecret {
    const old = kept.get(place);
    if (value !== undefined)
      return old !== undefined && opens(secrets, old, value) ? old : secrets.seal(value);
    const names = variablesIn(template).join(', ');
    if (old === undefined) problem(field, `needs a value: ${names} is not set, and no value is stored`);
    else if (moved !== null) {
      problem(
        field,
        `must be given again, because the secret would go to ${moved} now: set ${names}, or leave the ${transport.type === 'stdio' ? 'command' : 'address'} as it was`,
      );
    } else return old;
    return unusable;
  }

  if (transport.type === 'builtin') return { transport, templates };
  if (transport.type === 'stdio') {
    return { transport: { ...transport, env: sealAll('env', transport.env) }, templates };
  }
  return { transport: { ...transport, headers: sealAll('headers', transport.headers) }, templates };
}

/** Stands where a problem was reported, so that nothing is saved. */
const unusable: SealedSecret = { $sealed: { keyId: '', iv: '', data: '', tag: '' } };

function storedSecrets(transport: SealedTransport | undefined): Map<string, SealedSecret> {
  if (transport === undefined || transport.type === 'builtin') return new Map();
  const [group, secrets] =
    transport.type === 'stdio' ? ['env', transport.env] : ['headers', transport.headers];
  return new Map(Object.entries(secrets).map(([name, secret]) => [`${group}.${name}`, secret]));
}

function givenValue(input: SecretInput): string | undefined {
  return typeof input === 'string' ? input : input.value;
}

/** A value that a file holds in the open is exported as a variable, never as it is. */
function writtenTemplate(server: string, name: string, input: SecretInput): string {
  if (typeof input !== 'string' && variablesIn(input.template).length > 0) return input.template;
  const variable = `${server}_${name}`.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return `\${${/^\d/.test(variable) ? `_${variable}` : variable}}`;
}

/** A stored value that cannot be opened, as its key is gone, is simply replaced. */
function opens(secrets: Secrets, stored: SealedSecret, value: string): boolean {
  try {
    return secrets.open(stored) === value;
  } catch {
    return false;
  }
}

/** The place that secrets would go to and did not go to before; null where it is the same. Endpoints of environments are
 *  none of their own: headers follow only to the origin of the transport. */
function newDestination({ transport }: McpServerDocument, stored: StoredServer): string | null {
  const destination = secretDestination(transport);
  if (destination === secretDestination(stored.transport)) return null;
  // arguments may hold what should not be repeated
  return transport.type === 'stdio' ? 'another program, or one with other arguments,' : destination;
}
