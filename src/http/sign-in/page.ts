import { createHash } from 'node:crypto';

const style =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:26rem;margin:4rem auto;padding:0 1rem}label{display:block;margin:1rem 0}input{display:block;box-sizing:border-box;width:100%;padding:.5rem;font:inherit}button{padding:.5rem 1rem;font:inherit}[role=alert]{color:#b00020}';

/** No script, nothing from elsewhere, and no other page may show it in a frame. Its address holds a secret, which no other
 *  server learns; a form of it names its origin all the same. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

export interface Field {
  name: string;
  label: string;
  type: 'text' | 'email' | 'password' | 'hidden';
  value?: string | undefined;
  autocomplete?: string;
}

export interface Form {
  fields: Field[];
  button: string;
}

/** A page of plain HTML. Every text is shown as it is. */
export function page(content: {
  title: string;
  text?: string;
  alert?: string | undefined;
  form?: Form;
}): string {
  const { title, text, alert, form } = content;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escaped(title)} · Assay</title><style>${style}</style></head><body><main><h1>${escaped(title)}</h1>`,
    text === undefined ? '' : `<p>${escaped(text)}</p>`,
    alert === undefined ? '' : `<p role="alert">${escaped(alert)}</p>`,
    form === undefined ? '' : formHtml(form),
    '</main></body></html>\n',
  ].join('');
}

function formHtml({ fields, button }: Form): string {
  return `<form method="post">${fields.map(fieldHtml).join('')}<button>${escaped(button)}</button></form>`;
}

function fieldHtml({ name, label, type, value = '', autocomplete = 'off' }: Field): string {
  const input = `<input name="${escaped(name)}" type="${type}" value="${escaped(value)}" autocomplete="${escaped(autocomplete)}"${type === 'hidden' ? '' : ' required'}>`;
  return type === 'hidden' ? input : `<label>${escaped(label)}${input}</label>`;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}
