// Package datasheet reads drive files: what a drive's maker, or whoever measured one
// before, says of it.
//
// # The problem
//
// A datasheet is a table of figures that lack what makes them figures: a start
// current without the time it is averaged over, an idle power without "at most" or
// "typically", a rate without its block size. Somebody has to write down how such a
// line is to be read, once, with its source, before anything is held against it; and
// a slip there (mA for A, W for mW) condemns a good drive.
//
// # Terms
//
//	drive file  a YAML file: the drive, the rails that it has, its claims
//	claim       one published figure: quantity, kind (max, min, typical), value with
//	            its unit, rail or workload, window, source
//	window      time that a start current or start power is averaged over, or
//	            "unstated", which has to be said
//	endurance   a quantity that no run measures: what may be written in all, against
//	            which a suite's writes are told
//	spin_up     the drive has a motor: its maker wants seconds between two starts
//
// A drive file:
//
//	name: acme-5000
//	vendor: Acme
//	model: 5000 2 TB
//	capacity: 2 TB
//	interface: SAS 12 Gb/s
//	rails: [5v, 12v]
//	claims:
//	  - name: start-current-12v
//	    quantity: start_current
//	    kind: max
//	    value: 400 mA
//	    rail: 12v
//	    window: unstated
//	    source: product manual, DC power requirements
//	  - name: random-read
//	    quantity: iops
//	    kind: min
//	    value: 110 kIOPS
//	    workload: {rw: randread, bs: 4k, qd: 32}
//	    source: product manual, performance
//
// Rails that the drive does not list, it does not have.
//
// # Errors
//
// Reading is strict. All faults of a file come together, each with file:line, the
// key, and what is allowed. A value without a unit is a fault, and so is a unit that
// is none of the quantity's.
package datasheet
