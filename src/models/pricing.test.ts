import { expect, test } from 'vitest';
import { costOf } from './pricing.ts';

const usage = { inputTokens: 2_000_000, outputTokens: 500_000 };

test('a request costs its input and output tokens by the price of the model', () => {
  expect(costOf('openai:gpt-5-mini', usage)).toBeCloseTo(0.5 + 1, 10);
});

test('input from the cache costs less', () => {
  expect(costOf('openai:gpt-5-mini', usage, 1_000_000)).toBeCloseTo(0.25 + 0.025 + 1, 10);
});

test('a dated name costs what the undated one does', () => {
  expect(costOf('openai:gpt-4o-2024-08-06', usage)).toBe(costOf('openai:gpt-4o', usage));
});

test.each(['openai:gpt-4o-audio', 'openai:constructor', 'gpt-4o', 'ollama:llama3'])(
  'the price of %s is not known',
  (model) => {
    expect(costOf(model, usage)).toBeNull();
  },
);

test('a cost without usage is not known', () => {
  expect(costOf('openai:gpt-4o', null)).toBeNull();
});
