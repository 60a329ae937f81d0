import type { CallToolResult } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { modelTextLength } from '../net/limits.ts';
import { cutText, keptResult, modelText } from './tool-result.ts';

const read = (result: CallToolResult) => modelText(keptResult(result));

test('a model reads the texts of a result, and of the rest what it is', () => {
  const data = Buffer.alloc(100).toString('base64');
  const content: CallToolResult['content'] = [
    { type: 'text', text: 'first' },
    { type: 'image', mimeType: 'image/png', data },
    { type: 'audio', mimeType: 'audio/wav', data },
    { type: 'resource_link', name: 'notes', uri: 'file:///notes.txt' },
    { type: 'resource', resource: { uri: 'file:///a.txt', text: 'text of a' } },
    { type: 'resource', resource: { uri: 'file:///b.bin', blob: data } },
    { type: 'text', text: 'last' },
  ];
  expect(read({ content }).split('\n')).toEqual([
    'first',
    '[image image/png, 100 bytes]',
    '[audio audio/wav, 100 bytes]',
    '[link to notes: file:///notes.txt]',
    'text of a',
    '[resource file:///b.bin, 100 bytes]',
    'last',
  ]);
});

test('structured content is read where there is nothing else, and kept either way', () => {
  const structuredContent = { count: 3 };
  expect(read({ content: [], structuredContent })).toBe('{"count":3}');
  expect(read({ content: [{ type: 'text', text: 'three' }], structuredContent })).toBe('three');
  expect(keptResult({ content: [], structuredContent, isError: false })).toEqual({
    content: [],
    structuredContent,
  });
  expect(keptResult({ content: [] })).toEqual({ content: [] });
});

test('a text for a model is cut at its limit, never inside a character', () => {
  const fits = 'x'.repeat(modelTextLength);
  expect(cutText(fits)).toBe(fits);
  const cut = cutText(`${'x'.repeat(modelTextLength - 1)}😀`);
  expect(cut.isWellFormed()).toBe(true);
  expect(cut).toContain(`[cut: the first ${modelTextLength} of ${modelTextLength + 1} characters]`);
});
