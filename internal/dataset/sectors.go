package dataset

// sector is a line of business as security.xsd lists them, with the words that its companies are described in.
type sector struct {
	name       string
	share      int      // weight among securities
	industries []string // of security.xsd
	trades     []string // in names of companies
	products   []string // in the plural
	customers  []string // in the plural
	inputs     []string // what costs depend on
}

// Sectors are the names of all sectors, in alphabetical order.
func Sectors() []string {
	names := make([]string, len(sectors))
	for i := range sectors {
		names[i] = sectors[i].name
	}
	return names
}

var sectors = []sector{
	{
		name: "Basic Materials", share: 18,
		industries: listOf("ChemicalManufacturing, Chemicals-Plastics&amp;Rubber, Containers&amp;Packaging, FabricatedPlastic&amp;Rubber, Forestry&amp;WoodProducts, Gold&amp;Silver, Iron&amp;Steel, MetalMining, Misc.FabricatedProducts, Non-MetallicMining, Paper&amp;PaperProducts"),
		trades:     listOf("Chemical, Steel, Resources, Mining, Paper, Polymers, Metals, Minerals, Timber, Packaging, Alloys, Gold, Aluminum, Materials, Industries, Pigments"),
		products:   listOf("specialty chemicals, titanium dioxide pigments, flat-rolled steel sheets, corrugated containers, polyethylene resins, lumber and oriented strand board, gold and silver concentrates, copper cathodes, industrial gases, kraft linerboard, epoxy coatings, phosphate fertilizers, engineered plastics, adhesives and sealants, crushed stone aggregates, aluminum extrusions, synthetic rubber compounds, nickel alloys, bleached pulp, glass containers, chlor-alkali products, zinc oxide, tinplate, carbon black, flexible films, catalysts for refining, precious metal powders, wire rod and rebar"),
		customers:  listOf("automobile makers, homebuilders, food packagers, paint formulators, fertilizer cooperatives, aerospace contractors, appliance manufacturers, foundries, printers and publishers, tire producers, water treatment authorities, beverage bottlers, refiners, jewelry fabricators"),
		inputs:     listOf("natural gas, iron ore, wood chips, ethylene, electricity, caustic soda, scrap metal, freight, sulfur, bauxite, titanium ore, recycled fiber"),
	}, {
		name: "Capital Goods", share: 15,
		industries: listOf("Aerospace&amp;Defense, Constr.&amp;Agric.Machinery, Constr.-Supplies&amp;Fixtures, Construction-RawMaterials, ConstructionServices, Misc.CapitalGoods, MobileHomes&amp;RVs"),
		trades:     listOf("Aerospace, Machinery, Engineering, Construction, Industries, Controls, Tools, Turbines, Dynamics, Homes, Fabrication, Hydraulics, Motion, Manufacturing, Cement"),
		products:   listOf("hydraulic cylinders, excavators and wheel loaders, turbine blades, flight control actuators, combine harvesters, motor homes, industrial pumps, ready-mixed concrete, machine tools, conveyor systems, landing gear assemblies, diesel generator sets, modular buildings, roof trusses, precision bearings, welding equipment, steam boilers, packaging machinery, radar housings, elevator drives, robotic welding cells, air compressors, valves and couplings, forklift trucks, missile guidance sections, paving equipment, commercial kitchens, gear reducers"),
		customers:  listOf("general contractors, airlines, defense ministries, grain farmers, shipyards, mining operators, utilities, municipal road departments, automobile plants, residential developers, petrochemical refiners, railcar builders, equipment rental firms, original equipment manufacturers"),
		inputs:     listOf("steel plate, castings, forgings, cement, titanium, electronic components, skilled labor, bearings, gypsum, copper wire, fuel, fasteners"),
	}, {
		name: "Conglomerates", share: 4,
		industries: listOf("Conglomerates"),
		trades:     listOf("Holdings, Industries, International, Group, Enterprises, Diversified, Partners, Ventures, Consolidated, Trading"),
		products:   listOf("industrial fasteners and consumer appliances, insurance and newspaper services, jet engines and medical scanners, palm oil and port facilities, building products and sporting goods, power systems and financial leases, aircraft components and golf equipment, shipping and property services, specialty tools and broadcast stations, sugar, tobacco and hotels, water meters and trailers, batteries and dental supplies, beverage cans and satellites, furniture and electrical connectors"),
		customers:  listOf("governments, industrial manufacturers, households, wholesale distributors, airlines, hospitals, contractors, retailers, shipping lines, commercial lenders"),
		inputs:     listOf("raw materials, capital, energy, labor, currencies, freight, copper, steel, credit, petroleum"),
	}, {
		name: "Consumer Cyclical", share: 15,
		industries: listOf("Apparel/Accessories, Appliance&amp;Tool, Audio&amp;VideoEquipment, Auto&amp;TruckManufacturers, Auto&amp;TruckParts, Footwear, Furniture&amp;Fixtures, Jewelry&amp;Silverware, Photography, RecreationalProducts, Textiles-NonApparel, Tires"),
		trades:     listOf("Apparel, Motors, Footwear, Furniture, Appliances, Textiles, Automotive, Brands, Leather, Cycles, Watches, Carpets, Toys, Outdoors, Audio, Jewelers"),
		products:   listOf("women's sportswear, brake systems, athletic shoes, upholstered sofas, washing machines, home theater speakers, radial tires, wristwatches, denim jeans, exhaust systems, power drills, golf clubs, leather handbags, bedroom suites, digital cameras, carpets and rugs, outboard motors, children's toys, fishing tackle, light trucks, silver flatware, fuel injectors, ski bindings, table linens, seat assemblies, snowmobiles, window blinds, hiking boots"),
		customers:  listOf("department stores, automobile dealers, specialty boutiques, mass merchants, furniture retailers, catalog shoppers, sporting goods chains, fleet operators, young families, outdoor enthusiasts, discount chains, original equipment manufacturers, bridal shops, home centers"),
		inputs:     listOf("cotton, leather, polyester yarn, rubber, plywood, semiconductors, contract labor in Asia, diamonds, steel coil, foam, dyes, ocean freight"),
	}, {
		name: "Consumer Non-Cyclical", share: 12,
		industries: listOf("Beverages(Alcoholic), Beverages(Non-Alcoholic), Crops, Fish/Livestock, FoodProcessing, OfficeSupplies, Personal&amp;HouseholdProducts, Tobacco"),
		trades:     listOf("Foods, Beverages, Brewing, Farms, Dairy, Tobacco, Household, Vineyards, Seafood, Bottling, Naturals, Consumer Products, Bakeries, Provisions"),
		products:   listOf("breakfast cereals, carbonated soft drinks, laundry detergents, frozen entrees, premium wines, cigarettes, fresh pork, infant formula, bottled water, shampoos and conditioners, canned vegetables, snack crackers, pet foods, craft beers, disposable diapers, farmed salmon, ground coffee, toothpastes, hybrid seed corn, chocolate confections, paper towels, yogurt, single malt whiskies, ballpoint pens, cooking oils, seasonings and marinades, citrus juices, vitamins"),
		customers:  listOf("supermarket chains, convenience stores, restaurants, wholesale grocers, drug stores, club warehouses, school districts, food service distributors, bars and taverns, military commissaries, vending operators, office superstores, independent grocers, exporters"),
		inputs:     listOf("corn, wheat flour, sugar, cocoa beans, milk, aluminum cans, soybean oil, resin, barley, green coffee, feed, fragrances"),
	}, {
		name: "Energy", share: 15,
		industries: listOf("Coal, Oil&amp;Gas-Integrated, Oil&amp;GasOperations, OilWellServices&amp;Equipment"),
		trades:     listOf("Petroleum, Energy, Oil, Gas, Drilling, Exploration, Resources, Coal, Offshore, Royalty, Pipeline, Oilfield Services, Seismic, Refining"),
		products:   listOf("crude oil and condensate, natural gas liquids, offshore drilling rigs, seismic surveys, low-sulfur steam coal, refined fuels, well completion fluids, coiled tubing services, liquefied natural gas, lubricants, wireline logging tools, subsea wellheads, jet fuel, asphalt, drill bits, metallurgical coal, compression services, directional drilling services, marine support vessels, propane, hydraulic fracturing services, blowout preventers, coalbed methane, petrochemical feedstocks"),
		customers:  listOf("refiners, electric utilities, national oil companies, independent producers, pipeline marketers, airlines, steel mills, truck stops, trading houses, gas distributors, shipping companies, petrochemical plants, major oil companies"),
		inputs:     listOf("rig day rates, tubular steel, crews, royalties, severance taxes, diesel fuel, lease bonuses, proppants, permits, rail capacity"),
	}, {
		name: "Financial", share: 42,
		industries: listOf("ConsumerFinancialServices, Insurance(Accident&amp;Health), Insurance(Life), Insurance(Miscellaneous), Insurance(Prop&amp;Casualty), InvestmentServices, Misc.FinancialServices, MoneyCenterBanks, RegionalBanks, S&amp;Ls/SavingsBanks"),
		trades:     listOf("Bancorp, Financial, Bancshares, Insurance, Savings, Capital, Trust, Assurance, Mutual, Credit, Securities, National Bank, Holdings, Acceptance, Mortgage, Investors"),
		products:   listOf("residential mortgage loans, certificates of deposit, term life policies, credit cards, homeowners insurance, annuities, trust services, small business loans, brokerage accounts, title insurance, mutual fund shares, automobile loans, workers' compensation coverage, treasury management services, home equity lines, reinsurance treaties, student loans, foreign exchange services, equipment leases, disability income policies, money market accounts, surety bonds, construction loans, payroll cards, commercial real estate loans, merger advisory services, crop insurance, checking accounts"),
		customers:  listOf("individuals, small businesses, credit unions, farmers, pension plans, physicians, municipalities, middle-market companies, homebuyers, retirees, real estate developers, hedge funds, churches and charities, automobile dealers"),
		inputs:     listOf("deposit rates, wholesale funding, loan losses, reinsurance premiums, catastrophe claims, deposit insurance assessments, compliance costs, commissions, employee benefits, hedging costs"),
	}, {
		name: "Healthcare", share: 24,
		industries: listOf("Biotechnology&amp;Drugs, HealthcareFacilities, MajorDrugs, MedicalEquipment&amp;Supplies"),
		trades:     listOf("Pharmaceuticals, Medical, Therapeutics, Biosciences, Health, Diagnostics, Laboratories, Surgical, Genomics, Hospitals, Dental, Biologics, Orthopedics, Imaging"),
		products:   listOf("monoclonal antibodies, coronary stents, insulin pumps, generic antibiotics, hip implants, blood glucose meters, vaccines, hearing aids, magnetic resonance scanners, nursing services, antidepressants, surgical staplers, dialysis services, contact lenses, gene therapies, ultrasound probes, hospital beds, oncology drugs, dental composites, pacemakers, home infusion services, allergy tablets, diagnostic test kits, wound dressings, catheters, clinical laboratory services, ophthalmic lasers, nasal sprays"),
		customers:  listOf("hospitals, physicians, patients, pharmacies, health maintenance organizations, veterinary clinics, research institutes, surgeons, nursing homes, government programs, drug wholesalers, dentists, diagnostic laboratories, ambulatory centers"),
		inputs:     listOf("clinical trials, active ingredients, nurses' wages, plasma, regulatory filings, sterile packaging, reimbursement rates, product liability insurance, laboratory animals, licensing fees"),
	}, {
		name: "Services", share: 40,
		industries: listOf("Advertising, Broadcasting&amp;CableTV, BusinessServices, Casinos&amp;Gaming, CommunicationsServices, Hotels&amp;Motels, MotionPictures, PersonalServices, Printing&amp;Publishing, PrintingServices, RealEstateOperations, RecreationalActivities, Rental&amp;Leasing, Restaurants, Retail(Apparel), Retail(Catalog&amp;MailOrder), Retail(Department&amp;Discount), Retail(Drugs), Retail(Grocery), Retail(HomeImprovement), Retail(Speciality), Retail(Technology), Schools, SecuritySystems&amp;Services, WasteManagementServices"),
		trades:     listOf("Stores, Entertainment, Media, Communications, Hotels, Restaurants, Realty, Broadcasting, Education, Staffing, Publishing, Gaming, Wireless, Markets, Properties, Outsourcing, Resorts, Security"),
		products:   listOf("hamburgers and fries, cable television service, temporary staffing, slot machines, wireless telephone plans, hotel rooms, feature films, office space, burglar alarms, textbooks, prescription drugs, fitness clubs, outdoor billboards, used cars, online courses, groceries, cruise vacations, uniforms, funeral services, refuse collection, casual dining, concert tickets, catalog apparel, self-storage units, direct mail campaigns, garden supplies, consumer electronics, theme parks, payroll processing, community newspapers"),
		customers:  listOf("families, advertisers, corporate travelers, tenants, students, homeowners, local governments, small businesses, teenagers, commuters, subscribers, tourists, hospitals, nonprofit organizations"),
		inputs:     listOf("wages, rents, programming costs, food costs, paper, franchise fees, spectrum licenses, landfill space, fuel, advertising, minimum wage legislation, merchandise"),
	}, {
		name: "Technology", share: 42,
		industries: listOf("CommunicationsEquipment, ComputerHardware, ComputerNetworks, ComputerPeripherals, ComputerServices, ComputerStorageDevices, ElectronicInstruments&amp;Controls, OfficeEquipment, Scientific&amp;TechnicalInstr., Semiconductors, Software&amp;Programming"),
		trades:     listOf("Systems, Software, Semiconductor, Networks, Technologies, Microsystems, Devices, Data, Electronics, Instruments, Photonics, Storage, Computing, Interactive, Circuits, Digital, Sensors"),
		products:   listOf("database management software, analog integrated circuits, Ethernet switches, disk drives, blade servers, optical transceivers, supply chain applications, flat panel displays, laser printers, mass spectrometers, antivirus software, tape libraries, programmable logic devices, bar code scanners, wireless base stations, consulting services, flash memory cards, power supplies, storage area networks, oscilloscopes, graphics processors, speech recognition engines, electronic design automation tools, point-of-sale terminals, fiber amplifiers, outsourcing contracts, image sensors, web hosting, printed circuit boards"),
		customers:  listOf("telecommunications carriers, enterprises, original equipment manufacturers, government agencies, universities, systems integrators, resellers, banks, internet service providers, contract manufacturers, engineers, data centers, hospitals, consumers"),
		inputs:     listOf("silicon wafers, engineers' salaries, contract manufacturing, memory chips, licensed patents, rare metals, foundry capacity, display glass, software licenses, testing"),
	}, {
		name: "Transportation", share: 9,
		industries: listOf("AirCourier, Airline, Misc.Transportation, Railroads, Trucking, WaterTransportation"),
		trades:     listOf("Airlines, Transport, Freight, Logistics, Railway, Shipping, Express, Trucking, Marine, Airways, Lines, Carriers, Aviation"),
		products:   listOf("scheduled passenger flights, truckload services, intermodal containers, express parcels, crude oil tankers, rail freight, freight forwarding, dry bulk carriers, charter flights, refrigerated trailers, customs brokerage, ferry services, barge towing, school bus services, car rentals, warehousing, airport ground handling, less-than-truckload services, airport terminals, pipeline barges"),
		customers:  listOf("shippers, business travelers, automobile manufacturers, retailers, grain exporters, oil companies, chemical producers, freight brokers, leisure passengers, electric utilities, postal administrations, mining companies"),
		inputs:     listOf("jet fuel, diesel, drivers' wages, pilot contracts, aircraft leases, tolls, port charges, insurance, crew training, tires, bunker oil"),
	}, {
		name: "Utilities", share: 12,
		industries: listOf("ElectricUtilities, NaturalGasUtilities, WaterUtilities"),
		trades:     listOf("Electric, Power, Water, Gas, Light, Utilities, Energy, Hydro, Power &amp; Light, Edison"),
		products:   listOf("electricity, natural gas distribution, drinking water, transmission services, wastewater treatment, wholesale power, gas storage, district heating, nuclear generation, wind farms, energy efficiency programs, hydroelectric power, street lighting, metering services, combined-cycle plants, gas transmission"),
		customers:  listOf("residential households, industrial plants, municipalities, commercial buildings, farms and irrigators, rural cooperatives, universities, hospitals, wholesale marketers, aluminum smelters"),
		inputs:     listOf("coal, natural gas, purchased power, nuclear fuel, emission allowances, tree trimming, weather, pension costs, rate cases, hydro conditions"),
	},
}

// sectorShare draws a sector as often as securities belong to it.
var sectorShare = func() *codes {
	shares := make([]int, len(sectors))
	for i := range sectors {
		shares[i] = sectors[i].share
	}
	return newWeights(shares...)
}()
