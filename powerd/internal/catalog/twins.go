package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"powerd/engine/twin/model"
	"powerd/engine/twin/serve"
	"powerd/powerd/internal/twinfile"
	"powerd/quarch"
	"powerd/quarch/sim"
)

// TwinNames lists the drives that can be emulated without a file of one's own.
func TwinNames() []string { return twinfile.Names() }

// TwinFacts is what is known of a twin before there is one.
type TwinFacts struct {
	Name    string        // what it calls itself
	Rails   []quarch.Rail // that it has
	StartUp time.Duration // from power-on to its first IO, at most
}

// LookUpTwin returns what is known of the twin that is built in as name, or stands in the
// twin file at that path. An error says all that is wrong with the file.
func LookUpTwin(name string) (TwinFacts, error) {
	c, err := twinfile.Find(name)
	if err != nil {
		return TwinFacts{}, err
	}
	facts := TwinFacts{Name: c.Name, StartUp: time.Duration(c.RampNs + c.ReadyNs)}
	if c.Rail5V.NominalVolts > 0 {
		facts.Rails = append(facts.Rails, quarch.Rail5V)
	}
	if c.Rail12V.NominalVolts > 0 {
		facts.Rails = append(facts.Rails, quarch.Rail12V)
	}
	return facts, nil
}

// TwinOptions say which drive to emulate, and the module in its supply.
type TwinOptions struct {
	Name      string // of TwinNames, or path of a twin file
	Scale     int    // IOPS divided, energies multiplied by it
	Dir       string // where the drive's file is mounted
	SizeBytes int64  // of the file, and of the drive's capacity
	Seed      uint64
	Sim       SimOptions
	Now       func() int64
}

// SimOptions describe the emulated module.
type SimOptions struct {
	Serial          string
	Link            string  // quarch.LinkTerminal or LinkFramed, "" = either
	OffsetNs        int64   // from taking `rec stream` to the start of stripe 0
	DriftPPM        float64 // positive = its period is long
	ArrivalJitterNs int64
	FIFOBytes       int
	Off             bool   // rails are off at the start
	Format          string // of the stream, one of SimFormats; "" = hd
	Dialect         Dialect
	Faults          []Fault
	Seed            uint64            // of its jitter and its faults
	Moved           func(path string) // told where a pseudo-terminal came back; may be nil
	Log             func(SimCommand)

	other Load // what it measures if it is swapped
}

// SimCommand is a command that an emulated module was given.
type SimCommand = sim.Command

// Sim is an emulated module.
type Sim = sim.Module

// Twin is an emulated drive that serves a file, and the emulated module in its
// supply.
type Twin struct {
	Drive  *model.Drive
	Mount  *serve.Mounted
	Module *sim.Module
}

// OpenTwin makes a drive and its module, and mounts the drive's file.
func OpenTwin(ctx context.Context, o TwinOptions) (*Twin, error) {
	c, err := twinfile.Find(o.Name)
	if err != nil {
		return nil, err
	}
	if o.Scale < 1 {
		return nil, fmt.Errorf("emulate %s at scale %d: the scale must be 1 or more", o.Name, o.Scale)
	}
	c = c.Scaled(o.Scale)
	c.CapacityBytes = o.SizeBytes
	if o.Seed != 0 {
		c.Seed = o.Seed
	}
	d, err := newDrive(c, o)
	if err != nil {
		return nil, err
	}
	m, err := serve.Mount(ctx, serve.Options{Dir: o.Dir, SizeBytes: o.SizeBytes, Drive: d, Now: o.Now})
	if err != nil {
		return nil, err
	}
	o.Sim.Seed = o.Seed
	if sim.HasFault(o.Sim.Faults, sim.FaultSwapped) {
		c.Seed++ // of the same kind; nobody loads it
		if o.Sim.other, err = newDrive(c, o); err != nil {
			return nil, errors.Join(err, m.Unmount())
		}
	}
	return &Twin{Drive: d, Mount: m, Module: NewSim(o.Sim, served{d, m}, o.Now)}, nil
}

// served is a drive that is served as a file: its power is known as soon as no IO is on
// its way into it.
type served struct {
	*model.Drive
	*serve.Mounted
}

// newDrive returns a drive as its module finds it.
func newDrive(c model.Config, o TwinOptions) (*model.Drive, error) {
	d, err := model.New(c)
	if err != nil {
		return nil, err
	}
	if !o.Sim.Off && o.Sim.Dialect.StartMode != sim.ModeDisabled { // it has been on and idle for a while
		d.SetPower(o.Now()-2*c.ReadyNs, true)
	}
	return d, nil
}

// What the truth about a twin is asked with.
type (
	// Drive is an emulated drive, which knows what it did.
	Drive = model.Drive

	// WindowTruth is what it did in a window.
	WindowTruth = model.WindowTruth
	// InrushSpec says which start-ups are asked for, and over which windows their peaks.
	InrushSpec = model.InrushSpec
	// InrushTruth is one of its start-ups.
	InrushTruth = model.InrushTruth
	// StreamTruth is where a stream of its module really lay, and what was lost of it.
	StreamTruth = sim.StreamTruth
	// RailInrush is the start-up of one of its rails.
	RailInrush = model.RailInrush
)

// Load is what an emulated module measures.
type Load = sim.Load

// SimAlias is the label that an emulated module of powerd gives itself, so that what
// was measured on it is marked as simulated.
const SimAlias = "emulated by powerd"

// NewSim returns an emulated module that measures load.
func NewSim(o SimOptions, load Load, now func() int64) *sim.Module {
	return sim.New(sim.Options{
		Serial: o.Serial, Rails: []string{"5v", "12v"}, OffsetNs: o.OffsetNs, DriftPPM: o.DriftPPM, ArrivalJitterNs: o.ArrivalJitterNs,
		FIFOBytes: o.FIFOBytes, Alias: SimAlias, Powered: !o.Off, Link: o.Link, Log: o.Log, Now: now,
		Format: sim.Format(o.Format), Dialect: o.Dialect, Faults: o.Faults, Seed: o.Seed, Other: o.other, Moved: o.Moved,
	}, load)
}

// ConstantLoad draws 0.42 A at 5 V and 0.0734 A at 12 V while it is on. While it is off
// currents read up to 1 mA either way, as those of real modules do with nothing on them.
func ConstantLoad() Load {
	l := sim.NewConstantLoad(map[string]int{"5v": 5000, "12v": 12000}, map[string]int{"5v": 420_000, "12v": 73_400})
	l.ReadNoise(1000)
	return l
}

// Close takes the drive's file away.
func (t *Twin) Close() error { return t.Mount.Unmount() }
