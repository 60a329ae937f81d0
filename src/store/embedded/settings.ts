import { socketPort } from './socket-directory.ts';

/** The server's settings, as arguments: they belong to this version of Assay, not to the data directory. */
export function serverArguments(dataDirectory: string, socketDirectory: string, fsync: boolean): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '',
    port: String(socketPort),
    unix_socket_directories: socketDirectory,
    unix_socket_permissions: '0700',
    fsync: fsync ? 'on' : 'off',
    synchronous_commit: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',

    max_connections: '200',
    shared_buffers: '128MB',
    // our statements are short; compiling them costs more than it saves
    jit: 'off',
    // nobody replicates from here, and three I/O processes gain nothing on tables of this size
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_logical_replication_workers: '0',
    io_method: 'sync',

    // the log tells how the server fares. Refused statements and their values may hold secrets: the caller hears of them
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
  };
  return [
    '-D',
    dataDirectory,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}
