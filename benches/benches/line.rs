//! Line framing: bytes a second over each kind of stream and chunk size, beside the limit and the readers that others
//! use. The figures of one run are to be compared with each other, not with those of another machine or day.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pipeproof_benches::{peer, stream};

fn line(criterion: &mut Criterion) {
    let peers = peer::all();
    for stream in stream::all() {
        for chunk in [64, 64 << 10] {
            let mut group = criterion.benchmark_group(format!("line/{}/{chunk}", stream.name));
            group.throughput(Throughput::Bytes(stream.bytes.len() as u64)).sample_size(10);
            let right = peers[0].read(&stream.bytes, chunk);
            for peer in &peers {
                let answer = peer.read(&stream.bytes, chunk);
                assert_eq!(answer, right, "{} answers wrongly on {}", peer.name(), stream.name);
                let id = BenchmarkId::from_parameter(peer.name());
                group.bench_with_input(id, &stream.bytes, |bencher, bytes| {
                    bencher.iter(|| peer.read(black_box(bytes), chunk));
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, line);
criterion_main!(benches);
