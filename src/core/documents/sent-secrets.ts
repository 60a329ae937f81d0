import { z } from 'zod';

/** A secret as it is entered: itself, or what a file says of it, with the value where it is known. */
type Entered = string | { value?: string | undefined };

interface Rules {
  /** What is wrong with a name, or null. */
  name(name: string): string | null;
  value: { fits: RegExp; fault: string };
}

/** Headers of requests, by name; each is fit to be sent. */
export const headers = <Secret extends z.ZodType<Entered>>(secret: Secret) =>
  entries(secret, {
    name: (name) =>
      token.test(name) ? null : 'must have names that a header can have: letters, digits and hyphens',
    value: {
      fits: /^[\t\x20-\x7e\x80-\xff]*$/,
      fault: 'must hold no line break, no control character and nothing beyond Latin-1, which no header can',
    },
  }).superRefine((given, context) => {
    for (const name of Object.keys(given)) {
      if (!ofTransport.test(name)) continue;
      const message = 'is a header that the connection itself sets: leave it out';
      context.addIssue({ code: 'custom', path: [name], message });
    }
  });

/** Variables of a program, by name; each is fit to be set. */
export const variables = <Secret extends z.ZodType<Entered>>(secret: Secret) =>
  entries(secret, {
    name: (name) =>
      name === '' || /[=\0]/.test(name)
        ? 'must have names that a variable can have: not empty, without = and NUL'
        : null,
    value: { fits: /^[^\0]*$/, fault: 'must not hold NUL, which no variable can' },
  });

/** No value is ever repeated, and no name that cannot be one: it may be a secret that stands in the wrong place. */
function entries<Secret extends z.ZodType<Entered>>(secret: Secret, rules: Rules) {
  return z.record(z.string(), secret).superRefine((given, context) => {
    const say = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    for (const [name, entered] of Object.entries<Entered>(given)) {
      const nameFault = rules.name(name);
      const value = typeof entered === 'string' ? entered : (entered.value ?? '');
      if (nameFault !== null) say([], nameFault);
      else if (!rules.value.fits.test(value)) say([name], rules.value.fault);
    }
  });
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** What the connection and the protocol write themselves. */
const ofTransport =
  /^(host|content-length|transfer-encoding|connection|upgrade|te|trailer|keep-alive|proxy-.*|mcp-session-id|mcp-protocol-version)$/i;
