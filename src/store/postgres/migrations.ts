/** The schema, step by step. A step that was released is never changed; the next one is added below it. */
export const migrations: readonly string[] = [
  // Names compare by code point, as in the other stores. `data` is the truth; `data_json` is there to be searched with SQL
  // and is null where jsonb cannot hold the document.
  `
  create table holdfast.streams (
    id bigint generated always as identity primary key,
    tenant text collate "C" not null,
    principal text collate "C" not null,
    name text collate "C" not null,
    version bigint not null,
    unique (tenant, principal, name)
  );
  create table holdfast.events (
    position bigint generated always as identity primary key,
    stream_id bigint not null,
    version bigint not null,
    type text collate "C" not null,
    data bytea not null,
    data_crc32 bigint not null,
    data_json jsonb,
    recorded_at timestamptz not null default clock_timestamp(),
    quarantine_reason text,
    unique (stream_id, version)
  );
  create index events_by_type on holdfast.events (stream_id, type, version);
  create table holdfast.counters (
    name text collate "C" not null,
    labels text collate "C" not null,
    count bigint not null,
    primary key (name, labels)
  );
  `,
];
