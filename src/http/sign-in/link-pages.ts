import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { isFirstAdminLink, makeFirstAdmin } from '../../api/access/sign-in/first-admin.ts';
import { acceptInvitation, invitedBy } from '../../api/access/sign-in/invitation.ts';
import { firstAdminPath, joinPath } from '../../api/access/sign-in/one-time-link.ts';
import { shortestPassword } from '../../api/access/sign-in/password.ts';
import type { Program } from '../../api/call/context.ts';
import { AssayError, errorStatus } from '../../core/errors.ts';
import { clientOf, setCookies } from './client.ts';
import { type Field, type Form, page, pageHeaders } from './page.ts';

const largestForm = 16 * 1024;

/** The pages that one-time links lead to: a form each, which works without script. */
export function linkPages(program: Program): Hono {
  const pages = new Hono();
  for (const path of [firstAdminPath, joinPath]) {
    pages.post(
      path,
      bodyLimit({
        maxSize: largestForm,
        onError: () => {
          throw new AssayError('too_large', 'The form is too large.');
        },
      }),
    );
  }

  pages.get(firstAdminPath, async (c) => {
    const token = c.req.query('token') ?? '';
    return (await isFirstAdminLink(program, token)) ? show(c, firstAdminForm({ token })) : ended(c);
  });
  pages.post(firstAdminPath, async (c) => {
    const given = await formOf(c, ['token', 'name', 'email', 'password']);
    try {
      const { account, cookies } = await makeFirstAdmin(program, given, clientOf(c));
      return signedIn(c, account, cookies);
    } catch (error) {
      return refused(c, error, firstAdminForm(given));
    }
  });

  pages.get(joinPath, async (c) => {
    const token = c.req.query('token') ?? '';
    const account = await invitedBy(program, token);
    return account === undefined ? ended(c) : show(c, joinForm(token, account.email));
  });
  pages.post(joinPath, async (c) => {
    const given = await formOf(c, ['token', 'email', 'password']);
    try {
      const { account, cookies } = await acceptInvitation(program, given, clientOf(c));
      return signedIn(c, account, cookies);
    } catch (error) {
      return refused(c, error, joinForm(given.token, given.email));
    }
  });
  return pages;
}

interface Content {
  title: string;
  text?: string;
  alert?: string;
  form?: Form;
}

function show(c: Context, content: Content, status = 200) {
  return c.body(page(content), status as 200, pageHeaders);
}

function signedIn(c: Context, { name, email }: { name: string; email: string }, cookies: string[]) {
  setCookies(c, cookies);
  return show(c, { title: `Welcome, ${name}`, text: `You are signed in as ${email}.` });
}

function ended(c: Context) {
  const text =
    'Ask for a new one: a server that nobody can sign in to prints one when it starts, and whoever invited you can add you again.';
  return show(c, { title: 'This link has ended', text }, errorStatus.not_found);
}

/** Shows the form again with what is wrong. What is no refusal is the surface's to answer. */
function refused(c: Context, error: unknown, content: Content) {
  if (!(error instanceof AssayError)) throw error;
  if (error.code === 'not_found') return ended(c);
  return show(c, { ...content, alert: error.message }, errorStatus[error.code]);
}

/** The fields of a form that was sent, each a text. */
async function formOf<Name extends string>(
  c: Context,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(c.req.header('content-type') ?? '')) {
    throw new AssayError('invalid_input', 'Send the form of this page.', [
      { field: 'content-type', message: 'must be application/x-www-form-urlencoded' },
    ]);
  }
  const sent = new URLSearchParams(await c.req.text());
  return Object.fromEntries(names.map((name) => [name, sent.get(name) ?? ''])) as Record<Name, string>;
}

const password: Field = {
  name: 'password',
  label: `Password, at least ${shortestPassword} characters`,
  type: 'password',
  autocomplete: 'new-password',
};

function firstAdminForm({ token, name, email }: { token: string; name?: string; email?: string }): Content {
  return {
    title: 'Become the first admin',
    text: 'You will be admin of every workspace of this installation.',
    form: {
      fields: [
        { name: 'token', label: '', type: 'hidden', value: token },
        { name: 'name', label: 'Name', type: 'text', value: name, autocomplete: 'name' },
        { name: 'email', label: 'E-mail address', type: 'email', value: email, autocomplete: 'username' },
        password,
      ],
      button: 'Create my account',
    },
  };
}

function joinForm(token: string, email: string): Content {
  return {
    title: 'Choose your password',
    text: `You will sign in as ${email}.`,
    form: {
      fields: [
        { name: 'token', label: '', type: 'hidden', value: token },
        // for password managers
        { name: 'email', label: '', type: 'hidden', value: email, autocomplete: 'username' },
        password,
      ],
      button: 'Sign in',
    },
  };
}
