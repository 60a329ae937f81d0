import { expect, test } from 'vitest';
import { offered } from '../../../test/sample-trace.ts';
import { verifies } from '../../../test/verifies.ts';
import { nameWarnings } from './name-warnings.ts';

const version = { tools: [offered('list_directory'), offered('write_file')], skills: ['tidy-up'] };

test(
  verifies('saving warns of each tool that the version does not offer, naming the closest one', 'M30'),
  () => {
    const warnings = nameWarnings(
      [
        { type: 'tool_called', tool: 'list_directory' },
        { type: 'tool_not_called', tool: 'write_fil' },
        { type: 'tool_order', first: 'write_fil', second: 'list' },
        { type: 'object_absent', object: 'agent', name: 'ghost' },
      ],
      version,
    );
    expect(warnings.map((warning) => warning.reason)).toEqual([
      'The version that answered does not offer a tool "write_fil"; the closest it offers is "write_file".',
      'The version that answered does not offer a tool "list"; the closest it offers is "write_file".',
    ]);
  },
);

test('saving warns of a skill that the version does not have', () => {
  const warnings = nameWarnings([{ type: 'skill_not_used', skill: 'tidy' }], version);
  expect(warnings.map((warning) => warning.reasonParams)).toEqual([{ skill: 'tidy', closest: 'tidy-up' }]);
});

test('saving says nothing about names that only a run completes', () => {
  expect(nameWarnings([{ type: 'tool_called', tool: 'x-{{run}}' }], version)).toEqual([]);
});
