import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { reason, reasonTemplates } from './reasons.ts';

describe('a reason', () => {
  test(verifies('is a sentence with the code and parameters it was made from', 'O1'), () => {
    expect(reason('write_before', { write: 'write_file', tool: 'list' })).toEqual({
      reason: 'The data-changing tool "write_file" ran before the first call of "list".',
      reasonCode: 'write_before',
      reasonParams: { write: 'write_file', tool: 'list' },
    });
  });

  test('fills each place once: text that looks like a place stays text', () => {
    expect(reason('write_before', { write: '{tool}', tool: '$&' }).reason).toBe(
      'The data-changing tool "{tool}" ran before the first call of "$&".',
    );
  });

  test('shows outside text cut and on one line, in the parameters too', () => {
    const { reason: sentence, reasonParams } = reason('tool_not_called', {
      tool: `a\n\u0000${'b'.repeat(5000)}`,
    });
    expect(sentence.length).toBeLessThan(400);
    expect(reasonParams.tool).toMatch(/^a b+…$/);
  });

  test('is one sentence, whatever its code', () => {
    for (const template of Object.values(reasonTemplates)) {
      expect(template).toMatch(/^([A-Z{].*\.|[A-Z].*\{message\})$/);
      expect(template.slice(0, -1)).not.toMatch(/\. [A-Z]/);
    }
  });
});
