import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openOperatorToken, tokenCheck } from './operator-token.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'token-'));
});
afterEach(() => rm(home, { recursive: true }));

describe('the operator token', () => {
  test('is made once, readable by its owner alone', async () => {
    const tokens = await Promise.all([openOperatorToken(home), openOperatorToken(home)]);
    expect(tokens[0]).toBe(tokens[1]);
    expect(await openOperatorToken(home)).toBe(tokens[0]);
    const path = join(home, 'operator-token');
    expect((await readFile(path, 'utf8')).trim()).toBe(tokens[0]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('is refused when its file was cut short', async () => {
    await writeFile(join(home, 'operator-token'), 'short\n');
    await expect(openOperatorToken(home)).rejects.toThrow('is damaged');
  });

  test('is told from every other text', async () => {
    const token = await openOperatorToken(home);
    const isOperatorToken = tokenCheck(token);
    expect(isOperatorToken(token)).toBe(true);
    for (const other of ['', `${token}x`, token.slice(0, -1), token.toUpperCase(), 'assay_']) {
      expect(isOperatorToken(other)).toBe(false);
    }
  });
});
