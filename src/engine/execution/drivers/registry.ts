import type { ConversationDefinition } from '../../../core/documents/conversation.ts';
import type { Driver } from './driver.ts';
import { golden } from './golden.ts';
import { single } from './single.ts';

/** A new way to hold a conversation is one file beside this one and one line here. */
const drivers: { [Type in ConversationDefinition['type']]: Driver<Type> } = {
  single,
  golden,
};

export function driverOf<Type extends ConversationDefinition['type']>(type: Type): Driver<Type> {
  return drivers[type] as Driver<Type>;
}
